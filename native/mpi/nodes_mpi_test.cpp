#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "mpi/nodes.hpp"

namespace groma::mpi {
namespace {

TEST(Nodes, OfOneMachineHoldAllRanks) {
  const Communicator world = Communicator::world();
  const Nodes nodes = nodes_of(world);
  ASSERT_EQ(nodes.count(), 1U);
  std::vector<int> all(static_cast<std::size_t>(world.size()));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(nodes.around(world.rank()), all);
}

TEST(Communicator, GathersListsOfDifferentLengths) {
  const Communicator world = Communicator::world();
  const std::vector<std::int32_t> own(static_cast<std::size_t>(world.rank()), world.rank());
  const auto all = world.gather_lists(std::span<const std::int32_t>(own));
  EXPECT_EQ(all.empty(), !world.is_root() || world.size() == 1);
  if (!world.is_root()) return;
  std::vector<std::int32_t> expected;
  for (int rank = 0; rank < world.size(); ++rank) {
    expected.insert(expected.end(), static_cast<std::size_t>(rank), rank);
  }
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace groma::mpi
