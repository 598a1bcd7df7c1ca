#include "base/topology_queries.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace groma {
namespace {

/// Two packages of two nodes of two L2 of two cores of two threads: 32 threads, siblings next to each other.
Topology machine() {
  Topology topology;
  std::map<std::uint32_t, std::vector<LogicalCore>> by_l2;
  std::map<std::uint32_t, std::vector<LogicalCore>> by_node;
  for (std::uint32_t i = 0; i < 32; ++i) {
    topology.cores.push_back({LogicalCore(i), PhysicalCore(i), i / 2, i / 16, NumaNode(i / 8)});
    topology.caches.push_back({1, "instruction", 32_KiB, {}, {}, {LogicalCore(i)}});
    topology.allowed.emplace_back(i);
    by_l2[i / 4].emplace_back(i);
    by_node[i / 8].emplace_back(i);
  }
  for (const auto& [number, cores] : by_l2) topology.caches.push_back({2, "unified", 1_MiB, {}, {}, cores});
  for (const auto& [number, cores] : by_node)
    topology.numa.push_back({NumaNode(number), number, {}, {}, cores});
  topology.distances = {{10, 16, 32, 32}, {16, 10, 32, 34}, {32, 32, 10, 16}, {32, 36, 16, 10}};
  return topology;
}

std::vector<std::uint32_t> numbers(const std::vector<LogicalCore>& cores) {
  std::vector<std::uint32_t> all;
  for (const LogicalCore core : cores) all.push_back(core.number());
  return all;
}

using Numbers = std::vector<std::uint32_t>;

TEST(Selection, TakesTheFirstAllowedThreadOfEachPlace) {
  Topology topology = machine();
  topology.allowed = {LogicalCore(1), LogicalCore(2), LogicalCore(3), LogicalCore(9), LogicalCore(30)};
  EXPECT_EQ(numbers(one_core_per(Place::kCore, topology)), (Numbers{1, 2, 9, 30}));
  EXPECT_EQ(numbers(one_core_per(Place::kNuma, topology)), (Numbers{1, 9, 30}));
  EXPECT_EQ(numbers(one_core_per(Place::kPackage, topology)), (Numbers{1, 30}));
}

TEST(SpreadOrder, VisitsPackagesThenNodesThenCachesThenCoresThenThreads) {
  const Topology topology = machine();
  const Numbers order = numbers(spread_order(topology.allowed, topology));
  const Numbers first_half = {0, 16, 8, 24, 4, 20, 12, 28, 2, 18, 10, 26, 6, 22, 14, 30};
  EXPECT_EQ(Numbers(order.begin(), order.begin() + 16), first_half);
  EXPECT_EQ(order[16], 1U);
  EXPECT_EQ(std::set(order.begin(), order.end()).size(), 32U);
}

TEST(SpreadOrder, TakesHigherCachesBeforeLowerOnes) {
  Topology topology = machine();
  const auto cache = [&](std::uint32_t level, std::uint32_t first) {
    TopologyCache one{level, "data", {}, {}, {}, {}};
    for (std::uint32_t i = 0; i < 4; ++i) one.cores.emplace_back(first + i);
    return one;
  };
  topology.caches = {{1, "data", {}, {}, {}, {LogicalCore(0), LogicalCore(4)}}, cache(2, 0), cache(2, 4)};
  topology.allowed = {LogicalCore(0), LogicalCore(2), LogicalCore(4), LogicalCore(6)};
  EXPECT_EQ(numbers(spread_order(topology.allowed, topology)), (Numbers{2, 6, 0, 4}));
}

TEST(SpreadOrder, TakesOnlyTheGivenCores) {
  const std::vector<LogicalCore> some = {LogicalCore(3), LogicalCore(2), LogicalCore(9)};
  EXPECT_EQ(numbers(spread_order(some, machine())), (Numbers{2, 9, 3}));
}

TEST(SpreadOrder, OfNoCoresIsEmpty) {
  EXPECT_TRUE(spread_order({}, Topology{}).empty());
}

TEST(DataCaches, AreThoseAroundTheCoreThatIsAskedFor) {
  Topology topology = machine();
  topology.caches.push_back({3, "unified", 4_MiB, {}, {}, {LogicalCore(30)}});
  const LogicalCore first(0);
  EXPECT_EQ(data_cache_sizes(topology, first), (std::map<std::uint32_t, Bytes>{{2, 1_MiB}}))
      << "no instruction cache";
  EXPECT_EQ(data_cache_size(topology, first, 2, 256_KiB), 1_MiB);
  EXPECT_EQ(data_cache_size(topology, first, 3, 8_MiB), 8_MiB) << "nothing is declared";
  EXPECT_EQ(data_cache_size(topology, LogicalCore(30), 3, 8_MiB), 4_MiB);
  EXPECT_TRUE(data_cache_sizes(topology, LogicalCore(99)).empty());
}

TEST(Relations, NameWhatTwoCoresShare) {
  const Relations relations(machine());
  const auto name = [&](std::uint32_t a, std::uint32_t b) {
    return name_of(relations.between(LogicalCore(a), LogicalCore(b)));
  };
  EXPECT_EQ(name(0, 1), "SMT siblings");
  EXPECT_EQ(name(0, 2), "share L2");
  EXPECT_EQ(name(0, 4), "same NUMA node");
  EXPECT_EQ(name(0, 8), "same package, distance 16");
  EXPECT_EQ(name(0, 16), "other package, distance 32");
  EXPECT_EQ(name(8, 24), "other package, distance 35") << "the mean of both ways";
}

TEST(Relations, NeedNoDistancesOrCaches) {
  Topology topology = machine();
  topology.distances.clear();
  topology.caches.clear();
  const Relations relations(topology);
  EXPECT_EQ(name_of(relations.between(LogicalCore(0), LogicalCore(2))), "same NUMA node");
  EXPECT_EQ(name_of(relations.between(LogicalCore(0), LogicalCore(31))), "other package");
}

TEST(Relations, OfCoresWithoutLocalMemoryAreThoseOfTheirPackage) {
  Topology topology = machine();
  topology.numa[0].cores.clear();
  const Relations relations(topology);
  EXPECT_EQ(name_of(relations.between(LogicalCore(0), LogicalCore(2))), "share L2");
  EXPECT_EQ(name_of(relations.between(LogicalCore(0), LogicalCore(4))), "same package");
  EXPECT_EQ(name_of(relations.between(LogicalCore(0), LogicalCore(8))), "same package");
  EXPECT_EQ(name_of(relations.between(LogicalCore(0), LogicalCore(31))), "other package");
  EXPECT_EQ(name_of(relations.between(LogicalCore(8), LogicalCore(12))), "same NUMA node");
}

TEST(RelationClasses, HoldEveryPairOnceFromCloseToFar) {
  const Topology topology = machine();
  const auto classes = relation_classes(topology, topology.allowed, 1000, RandomStream(1));
  std::vector<std::string> names;
  std::set<CorePair> pairs;
  for (const RelationClass& one : classes) {
    names.push_back(name_of(one.relation));
    EXPECT_EQ(one.total, one.pairs.size());
    pairs.insert(one.pairs.begin(), one.pairs.end());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"SMT siblings", "share L2", "same NUMA node",
                                             "same package, distance 16", "other package, distance 32",
                                             "other package, distance 35"}));
  EXPECT_EQ(classes[0].total, 16U);
  EXPECT_EQ(pairs.size(), 32U * 31U / 2U);
}

TEST(RelationClasses, AreSampledEvenlyWhereTheyAreLarge) {
  const Topology topology = machine();
  std::map<std::uint32_t, int> uses;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto classes = relation_classes(topology, topology.allowed, 12, RandomStream(seed));
    const RelationClass& far = classes[4];
    EXPECT_EQ(far.total, 192U);
    ASSERT_EQ(far.pairs.size(), 12U);
    EXPECT_EQ(std::set<CorePair>(far.pairs.begin(), far.pairs.end()).size(), 12U) << "no pair twice";
    for (const CorePair& pair : far.pairs) ++uses[pair.first.number()];
  }
  // Each of the 16 lower cores stands in 150 of the 2400 samples on average; cores 8 to 15 in a third of the
  // pairs, the others in two thirds: 200 and 100 times. The bounds are six standard deviations away.
  for (std::uint32_t core = 0; core < 16; ++core) EXPECT_NEAR(uses[core], core < 8 ? 200 : 100, 84);
}

TEST(RelationClasses, RepeatWithTheirSeed) {
  const Topology topology = machine();
  const auto first = relation_classes(topology, topology.allowed, 5, RandomStream(7));
  const auto again = relation_classes(topology, topology.allowed, 5, RandomStream(7));
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].pairs, again[i].pairs);
}

TEST(RelationClasses, OfOneCoreAreNone) {
  const Topology topology = machine();
  EXPECT_TRUE(relation_classes(topology, std::vector{LogicalCore(3)}, 10, RandomStream(1)).empty());
}

}  // namespace
}  // namespace groma
