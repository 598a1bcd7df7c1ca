#include "base/topology.hpp"

#include <gtest/gtest.h>

#include "base/topology_numbering.hpp"

namespace groma {
namespace {

TEST(Topology, IsWrittenWithNullForWhatIsNotDeclared) {
  Topology topology;
  topology.source = "sysfs";
  topology.cores = {{LogicalCore(0), PhysicalCore(3), 0, 0, NumaNode(0)}};
  topology.caches = {{1, "data", std::nullopt, std::nullopt, std::nullopt, {LogicalCore(0)}}};
  topology.numa = {{NumaNode(0), 2, std::nullopt, std::nullopt, {LogicalCore(0)}}};
  topology.allowed = {LogicalCore(0)};
  topology.forbidden = {LogicalCore(1)};
  EXPECT_EQ(
      to_json(topology).text(),
      R"({"source":"sysfs","this_system":true,)"
      R"("cores":[{"logical":0,"physical":3,"core":0,"package":0,"numa":0}],)"
      R"("caches":[{"level":1,"kind":"data","size_bytes":null,"line_bytes":null,"ways":null,"cores":[0]}],)"
      R"("numa":[{"logical":0,"physical":2,"memory_bytes":null,"memory_side_cache_bytes":null,"cores":[0]}],)"
      R"("distances":null,"allowed":[0],"forbidden":[1],"page_bytes":4096,"huge_page_bytes":null})");
}

TEST(Topology, FindsTheLargestCacheThatAnAllowedCoreUses) {
  Topology topology;
  topology.allowed = {LogicalCore(0), LogicalCore(1)};
  topology.caches = {{1, "instruction", 64_MiB, {}, {}, {LogicalCore(0)}},
                     {2, "unified", 1_MiB, {}, {}, {LogicalCore(0)}},
                     {3, "unified", {}, {}, {}, {LogicalCore(0), LogicalCore(1)}},
                     {3, "unified", 32_MiB, {}, {}, {LogicalCore(2)}}};
  EXPECT_EQ(topology.last_level_cache(), 1_MiB);
}

TEST(LogicalOrder, IsTheKernelsWhereNothingNests) {
  EXPECT_EQ(logical_order({3, 0, 2}, {}), (CpuList{0, 2, 3}));
}

TEST(LogicalOrder, KeepsSetsTogetherAndOrdersThemByTheirLowestMember) {
  EXPECT_EQ(logical_order({0, 1, 2, 3, 4, 5}, {{1, 5}, {0, 4}, {2, 3}}), (CpuList{0, 4, 1, 5, 2, 3}));
  EXPECT_EQ(logical_order({0, 1, 2, 3}, {{0, 2}, {1, 3}, {0, 1, 2, 3}}), (CpuList{0, 2, 1, 3}));
}

TEST(LogicalOrder, HoldsEveryCpuOnceWhereSetsContradict) {
  CpuList order = logical_order({0, 1, 2, 3}, {{0, 1}, {1, 2}, {2, 3, 9}, {0, 3}});
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, (CpuList{0, 1, 2, 3}));
}

TEST(CloseNodes, FormGroupsAndGroupsOfGroups) {
  const std::vector<CpuList> nodes = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  std::vector<std::vector<double>> distances(8, std::vector<double>(8, 30));
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      if (i % 2 == j % 2) distances[i][j] = 20;
      if (i % 4 == j % 4) distances[i][j] = 12;
    }
    distances[i][i] = 10;
  }
  std::vector<CpuList> sets;
  add_groups_of_close_nodes(nodes, distances, sets);
  EXPECT_EQ(sets, (std::vector<CpuList>{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(CloseNodes, FormNoGroupsWhereDistancesMakeNoSense) {
  const std::vector<CpuList> nodes = {{0}, {1}, {2}};
  std::vector<CpuList> sets;
  add_groups_of_close_nodes(nodes, {{10, 20, 30}, {21, 10, 30}, {30, 30, 10}}, sets);
  add_groups_of_close_nodes(nodes, {{10, 10, 30}, {10, 10, 30}, {30, 30, 10}}, sets);
  add_groups_of_close_nodes(nodes, {{10, 12}, {12, 10}}, sets);
  add_groups_of_close_nodes(nodes, {{10, 12, 12}, {12, 10, 12}, {12, 12, 10}}, sets);
  EXPECT_TRUE(sets.empty());
}

TEST(CloseNodes, FormNoGroupAcrossThePackagesTheyLieIn) {
  std::vector<CpuList> sets = {{0, 1}, {2, 3}};
  add_groups_of_close_nodes({{0}, {1}, {2}, {3}},
                            {{10, 30, 12, 30}, {30, 10, 30, 30}, {12, 30, 10, 30}, {30, 30, 30, 10}}, sets);
  EXPECT_EQ(sets.size(), 2U);
}

}  // namespace
}  // namespace groma
