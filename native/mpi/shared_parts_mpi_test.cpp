#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/shared_parts.hpp"

namespace groma::mpi {
namespace {

TEST(SharedParts, IsWrittenByOneRankAndReadByAllOfItsNode) {
  const auto node = Communicator::world().split_by_node();
  const auto elements = [](int rank) { return 1000 + 10 * static_cast<std::size_t>(rank); };
  auto made = SharedParts::allocate(node, Bytes(elements(node.rank()) * sizeof(double)));
  ASSERT_TRUE(made);
  const SharedParts memory = std::move(made).value();
  std::ranges::fill(memory.of<double>(node.rank()), 1.0 + node.rank());
  memory.synchronize();
  node.barrier();
  memory.synchronize();
  for (int rank = 0; rank < node.size(); ++rank) {
    const auto part = memory.of<double>(rank);
    ASSERT_GE(part.size(), elements(rank));
    EXPECT_EQ(part.front(), 1.0 + rank);
    EXPECT_EQ(part[elements(rank) - 1], 1.0 + rank);
  }
  node.barrier();
}

TEST(SharedParts, OfNoBytesIsPossibleBesideOthers) {
  const auto node = Communicator::world().split_by_node();
  auto made = SharedParts::allocate(node, Bytes(node.is_root() ? 800 : 0));
  ASSERT_TRUE(made);
  EXPECT_GE(made.value().of<double>(0).size(), 100U);
}

TEST(SharedParts, AreAlignedToPairsOfCacheLines) {
  const auto node = Communicator::world().split_by_node();
  auto made = SharedParts::allocate(node, Bytes(1000));
  ASSERT_TRUE(made);
  for (int rank = 0; rank < node.size(); ++rank) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made.value().of<std::byte>(rank).data()) % 128, 0U) << rank;
  }
}

TEST(SharedParts, RefusesWhatTheNodeHasNoRoomFor) {
  const auto node = Communicator::world().split_by_node();
  EXPECT_FALSE(SharedParts::allocate(node, Bytes(std::uint64_t{1} << 48U)));
}

}  // namespace
}  // namespace groma::mpi
