#include "survey/network/spread.hpp"

#include <gtest/gtest.h>

#include <set>

namespace groma::survey::network {
namespace {

TopologyCache cache(std::uint32_t level, std::uint32_t first, std::uint32_t count) {
  TopologyCache one{.level = level, .kind = "unified", .size = {}, .line = {}, .ways = {}, .cores = {}};
  for (std::uint32_t core = first; core < first + count; ++core) one.cores.emplace_back(core);
  return one;
}

/// A node of HECToR (Servet 3.0, figure 2): two packages, two NUMA nodes in each, eight cores in these around
/// one L3, four around an L2.
Topology hector() {
  Topology topology;
  for (std::uint32_t core = 0; core < 32; ++core) {
    topology.cores.push_back({.logical = LogicalCore(core),
                              .physical = PhysicalCore(core),
                              .core = core,
                              .package = core / 16,
                              .numa = NumaNode(core / 8)});
    topology.allowed.emplace_back(core);
  }
  for (std::uint32_t core = 0; core < 32; core += 8) topology.caches.push_back(cache(3, core, 8));
  for (std::uint32_t core = 0; core < 32; core += 4) topology.caches.push_back(cache(2, core, 4));
  return topology;
}

/// How many different groups of `size` consecutive cores the first `count` cores lie in.
std::size_t groups_of_first(const std::vector<LogicalCore>& order, std::size_t count, std::uint32_t size) {
  std::set<std::uint32_t> groups;
  for (std::size_t i = 0; i < count; ++i) groups.insert(order[i].number() / size);
  return groups.size();
}

TEST(Spread, TakesPackagesBeforeNumaNodesBeforeCaches) {
  const auto order = spread_order(hector());
  ASSERT_EQ(order.size(), 32U);
  EXPECT_EQ(groups_of_first(order, 2, 16), 2U);
  EXPECT_EQ(groups_of_first(order, 4, 8), 4U);
  EXPECT_EQ(groups_of_first(order, 8, 4), 8U);
  EXPECT_EQ(groups_of_first(order, 32, 1), 32U);
}

TEST(Spread, TakesOneThreadOfEachCoreAndOnlyAllowedOnes) {
  Topology topology = hector();
  for (TopologyCore& core : topology.cores) core.core /= 2;
  topology.allowed = {LogicalCore(0), LogicalCore(1), LogicalCore(2), LogicalCore(17)};
  EXPECT_EQ(spread_order(topology),
            (std::vector<LogicalCore>{LogicalCore(0), LogicalCore(17), LogicalCore(2)}));
}

TEST(Spread, OfAMachineThatTellsNothingIsEmpty) {
  EXPECT_TRUE(spread_order(Topology{}).empty());
}

}  // namespace
}  // namespace groma::survey::network
