#include "survey/stream_groups.hpp"

#include <gtest/gtest.h>

namespace groma::survey {
namespace {

/// Two packages of four cores; pairs of cores share an L3.
Topology two_packages() {
  Topology topology;
  for (std::uint32_t i = 0; i < 8; ++i) {
    TopologyCore core;
    core.logical = LogicalCore(i);
    core.core = i;
    core.package = i / 4;
    core.numa = NumaNode(i / 4);
    topology.cores.push_back(core);
    topology.allowed.push_back(core.logical);
  }
  for (std::uint32_t i = 0; i < 8; i += 2) {
    TopologyCache cache;
    cache.level = 3;
    cache.kind = "unified";
    cache.cores = {LogicalCore(i), LogicalCore(i + 1)};
    topology.caches.push_back(cache);
  }
  return topology;
}

std::vector<std::string> kinds(const std::vector<CoreGroup>& groups) {
  std::vector<std::string> found;
  for (const CoreGroup& group : groups) found.push_back(group.kind);
  return found;
}

TEST(core_groups, are_each_set_once_from_the_smallest_kind) {
  EXPECT_EQ(kinds(core_groups(two_packages(), 9)),
            (std::vector<std::string>{"L3", "L3", "L3", "L3", "NUMA node", "NUMA node", "machine"}));
}

TEST(core_groups, hold_allowed_cores_only) {
  Topology topology = two_packages();
  topology.allowed = {LogicalCore(0), LogicalCore(4), LogicalCore(5)};
  const std::vector<CoreGroup> groups = core_groups(topology, 9);
  ASSERT_EQ(kinds(groups), (std::vector<std::string>{"L3", "machine"}));
  EXPECT_EQ(groups.front().cores, (std::vector{LogicalCore(4), LogicalCore(5)}));
}

TEST(core_groups, are_limited_for_each_kind) {
  EXPECT_EQ(kinds(core_groups(two_packages(), 1)), (std::vector<std::string>{"L3", "NUMA node", "machine"}));
}

TEST(core_counts, are_close_for_few_cores_and_end_with_all) {
  EXPECT_EQ(core_counts(2), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(core_counts(8), (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(core_counts(20), (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20}));
}

}  // namespace
}  // namespace groma::survey
