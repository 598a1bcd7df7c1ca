#include "survey/numa_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace groma::survey {
namespace {

/// `nodes` NUMA nodes of `cores` physical cores with `threads` hardware threads each, all allowed; nodes lie
/// on a ring, neighbours at 16, others at 22.
Topology machine(std::uint32_t nodes, std::uint32_t cores, std::uint32_t threads) {
  Topology topology;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    TopologyNuma numa;
    numa.logical = NumaNode(node);
    for (std::uint32_t thread = 0; thread < cores * threads; ++thread) {
      const auto number = static_cast<std::uint32_t>(topology.cores.size());
      topology.cores.push_back(
          {LogicalCore(number), PhysicalCore(number), number / threads, node, NumaNode(node)});
      topology.allowed.emplace_back(number);
      numa.cores.emplace_back(number);
    }
    topology.numa.push_back(std::move(numa));
    std::vector<double> row(nodes, 22.0);
    row[node] = 10.0;
    row[(node + 1) % nodes] = row[(node + nodes - 1) % nodes] = node == (node + 1) % nodes ? 10.0 : 16.0;
    topology.distances.push_back(std::move(row));
  }
  return topology;
}

std::vector<std::uint32_t> ids(const Places& places) {
  std::vector<std::uint32_t> all;
  for (const NumaPlace& place : places.list) all.push_back(place.id);
  return all;
}

TEST(NumaPlaces, AreTheNodesWhereThereAreSeveral) {
  const Places places = choose_places(machine(4, 8, 2), Over::kNodes, 16);
  EXPECT_EQ(places.over, "numa");
  EXPECT_EQ(ids(places), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(places.list[2].cpu, PhysicalCore(32));
  EXPECT_EQ(places.list[2].cpus.size(), 8U);
}

TEST(NumaPlaces, AreCoresByDefaultUpTo64AndNodesBeyond) {
  EXPECT_EQ(choose_places(machine(4, 16, 2), Over::kAuto, 64).over, "cores");
  EXPECT_EQ(choose_places(machine(4, 16, 2), Over::kAuto, 64).count(), 64U);
  EXPECT_EQ(choose_places(machine(4, 17, 1), Over::kAuto, 64).over, "numa");
  EXPECT_EQ(choose_places(machine(1, 256, 1), Over::kAuto, 64).count(), 64U);
}

TEST(NumaPlaces, AreAllCoresWhereTheseAreAskedFor) {
  const Places places = choose_places(machine(24, 11, 2), Over::kCores, 16);
  EXPECT_EQ(places.over, "cores");
  EXPECT_EQ(places.count(), 24U * 11U);
}

TEST(NumaPlaces, KnowHowManyShareACache) {
  Topology topology = machine(2, 4, 2);
  for (const TopologyNuma& node : topology.numa) {
    topology.caches.push_back({3, "unified", 32_MiB, Bytes(64), 16, node.cores});
  }
  EXPECT_EQ(choose_places(topology, Over::kCores, 64).in_one_cache, 4U);
  EXPECT_EQ(choose_places(topology, Over::kNodes, 64).in_one_cache, 1U);
}

TEST(NumaPlaces, HaveNamesOfTheirKinds) {
  EXPECT_EQ(over_named("cores"), Over::kCores);
  EXPECT_EQ(over_named("nodes"), Over::kNodes);
  EXPECT_EQ(over_named("auto"), Over::kAuto);
  EXPECT_FALSE(over_named("threads"));
}

TEST(NumaPlaces, AreCoresWhereThereIsOneNode) {
  const Places places = choose_places(machine(1, 4, 2), Over::kNodes, 16);
  EXPECT_EQ(places.over, "cores");
  EXPECT_EQ(ids(places), (std::vector<std::uint32_t>{0, 2, 4, 6}));
}

TEST(NumaPlaces, AreCoresWhereTheMaskLeavesOneNode) {
  Topology topology = machine(4, 2, 1);
  topology.allowed = {LogicalCore(2), LogicalCore(3)};
  const Places places = choose_places(topology, Over::kNodes, 16);
  EXPECT_EQ(places.over, "cores");
  EXPECT_EQ(ids(places), (std::vector<std::uint32_t>{2, 3}));
}

TEST(NumaPlaces, AreHardwareThreadsOnASingleCore) {
  EXPECT_EQ(ids(choose_places(machine(1, 1, 2), Over::kAuto, 16)), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(ids(choose_places(machine(1, 1, 1), Over::kAuto, 16)), (std::vector<std::uint32_t>{0}));
}

TEST(NumaPlaces, AreSpreadOverManyCores) {
  EXPECT_EQ(ids(choose_places(machine(1, 64, 1), Over::kAuto, 4)),
            (std::vector<std::uint32_t>{0, 16, 32, 48}));
}

TEST(NumaCells, AreAllOfAFewPlaces) {
  const Topology topology = machine(8, 1, 1);
  const Places places = choose_places(topology, Over::kNodes, 16);
  EXPECT_EQ(choose_cells(places, topology, Own::kIncluded, 64, 1).size(), 64U);
  EXPECT_EQ(choose_cells(places, topology, Own::kExcluded, 64, 1).size(), 56U);
}

TEST(NumaCells, HoldEveryDistanceWhereTheyAreSampled) {
  const Topology topology = machine(24, 1, 1);
  const auto cells = choose_cells(choose_places(topology, Over::kNodes, 16), topology, Own::kIncluded, 32, 1);
  ASSERT_EQ(cells.size(), 32U);
  std::map<double, int> of_distance;
  for (const Pair& cell : cells) ++of_distance[topology.distances[cell.first][cell.second]];
  EXPECT_GE(of_distance[10.0], 8);
  EXPECT_GE(of_distance[16.0], 8);
  EXPECT_GE(of_distance[22.0], 8);
}

TEST(NumaCells, AreAllOfNearAndASampleOfFar) {
  const Topology topology = machine(100, 1, 1);
  const auto cells =
      choose_cells(choose_places(topology, Over::kNodes, 16), topology, Own::kIncluded, 1600, 1);
  ASSERT_EQ(cells.size(), 1600U);
  EXPECT_EQ(std::set(cells.begin(), cells.end()).size(), 1600U);
  std::map<double, int> of_distance;
  for (const Pair& cell : cells) ++of_distance[topology.distances[cell.first][cell.second]];
  EXPECT_EQ(of_distance[10.0], 100);
  EXPECT_EQ(of_distance[16.0], 200);
  EXPECT_EQ(of_distance[22.0], 1300);
}

TEST(LockStep, ShiftsAreAllStepsOfAFewPlaces) {
  EXPECT_EQ(choose_shifts(5, 16, 1), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(choose_shifts(1, 16, 1), (std::vector<std::uint32_t>{0}));
}

TEST(LockStep, ShiftsOfManyPlacesAreDistinctAndBounded) {
  const auto shifts = choose_shifts(128, 16, 1);
  EXPECT_EQ(shifts.size(), 16U);
  EXPECT_EQ(std::set(shifts.begin(), shifts.end()).size(), 16U);
  EXPECT_EQ(shifts.front(), 0U);
  EXPECT_LT(shifts.back(), 128U);
  EXPECT_TRUE(std::ranges::binary_search(shifts, 64U));
}

TEST(LockStep, EachStepReadsEachBlockOnce) {
  for (const std::uint32_t shift : {0U, 1U, 6U}) {
    std::set<std::uint32_t> owners;
    for (std::uint32_t reader = 0; reader < 7; ++reader) owners.insert(owner_at_step(reader, shift, 7));
    EXPECT_EQ(owners.size(), 7U);
  }
  EXPECT_EQ(owner_at_step(5, 3, 7), 1U);
}

}  // namespace
}  // namespace groma::survey
