#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mpi/communicator.hpp"
#include "mpi/placement.hpp"

namespace groma::mpi {
namespace {

TEST(Communicator, GathersValuesInTheOrderOfRanks) {
  const auto world = Communicator::world();
  const auto ranks = world.gather_to_all(std::int64_t{world.rank()});
  ASSERT_EQ(ranks.size(), static_cast<std::size_t>(world.size()));
  EXPECT_TRUE(std::is_sorted(ranks.begin(), ranks.end()));
  EXPECT_EQ(world.reduce_to_all(std::int64_t{1}, Reduction::kSum), world.size());
}

TEST(Communicator, ReducesElementByElementOnTheRootOnly) {
  const auto world = Communicator::world();
  const double rank = world.rank();
  std::vector<double> values = {rank, -rank, 1.0};
  world.reduce_to_root(std::span(values), Reduction::kMax);
  const double highest = world.is_root() ? world.size() - 1.0 : rank;
  EXPECT_EQ(values, (std::vector<double>{highest, world.is_root() ? 0.0 : -rank, 1.0}));
}

TEST(Communicator, GathersRowsAndTextsOfDifferentLength) {
  const auto world = Communicator::world();
  const auto rows = world.gather_rows(std::vector<double>{1.0, static_cast<double>(world.rank())});
  const auto texts = world.gather_texts(std::string(static_cast<std::size_t>(world.rank()), 'x'));
  if (!world.is_root()) return;
  ASSERT_EQ(rows.size(), texts.size());
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    EXPECT_EQ(rows[rank][1], static_cast<double>(rank));
    EXPECT_EQ(texts[rank].size(), rank);
  }
}

TEST(Communicator, AgreesOnTheErrorOfTheLowestRank) {
  const auto world = Communicator::world();
  EXPECT_TRUE(world.agree(Done{}));
  const int guilty = world.size() / 2;
  const Status own = world.rank() >= guilty
                         ? Status(Error{"code", "rank " + std::to_string(world.rank()), "next"})
                         : Status(Done{});
  const Status all = world.agree(own);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().what, "rank " + std::to_string(guilty));
}

TEST(Communicator, PassesMessagesAroundARing) {
  const auto world = Communicator::world();
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  const std::vector<double> out(1000, world.rank());
  std::vector<double> in(1000);
  {
    const Request receiving = world.start_receive(std::span<double>(in), previous);
    const Request sending = world.start_send(std::span<const double>(out), next);
  }
  EXPECT_EQ(in.front(), previous);
  EXPECT_EQ(in.back(), previous);
}

TEST(Communicator, SplitsByColorAndLeavesOutNegativeOnes) {
  const auto world = Communicator::world();
  const auto part = world.split(world.rank() % 2 == 0 ? 0 : -1, -world.rank());
  ASSERT_EQ(part.has_value(), world.rank() % 2 == 0);
  if (part) {
    EXPECT_EQ(part->size(), (world.size() + 1) / 2);
    EXPECT_EQ(part->is_root(), world.rank() == (world.size() - 1) / 2 * 2);
  }
}

TEST(LargeCount, CountsBeyondAnIntBecomeOneDerivedType) {
  const std::uint64_t count = (std::uint64_t{1} << 31U) + 5;
  const LargeCount large(count, MPI_BYTE);
  MPI_Count bytes = 0;
#if MPI_VERSION >= 4
  MPI_Type_size_c(large.type(), &bytes);
#else
  MPI_Type_size_x(large.type(), &bytes);  // obsolete since MPI 4.1
#endif
  EXPECT_EQ(static_cast<std::uint64_t>(bytes) * static_cast<std::uint64_t>(large.count()), count);
}

TEST(Placement, TellsHostAndCpusOfEveryRank) {
  const auto world = Communicator::world();
  const auto placement = gather_placement(world);
  ASSERT_EQ(placement.size(), world.is_root() ? static_cast<std::size_t>(world.size()) : 0);
  for (const Json& one : placement) EXPECT_NE(one.text().find("\"boot_id\""), std::string::npos);
}

}  // namespace
}  // namespace groma::mpi
