#include "mpi/nodes.hpp"

#include <gtest/gtest.h>

namespace groma::mpi {
namespace {

TEST(Nodes, AreNumberedByTheirFirstRanks) {
  const std::vector<std::string> machines = {"b", "a", "b", "a", "c"};
  const Nodes nodes = nodes_by_name(machines);
  EXPECT_EQ(nodes.of_rank, (std::vector<int>{0, 1, 0, 1, 2}));
  EXPECT_EQ(nodes.place, (std::vector<int>{0, 0, 1, 1, 0}));
  EXPECT_EQ(nodes.ranks, (std::vector<std::vector<int>>{{0, 2}, {1, 3}, {4}}));
  EXPECT_EQ(nodes.around(3), (std::vector<int>{1, 3}));
}

}  // namespace
}  // namespace groma::mpi
