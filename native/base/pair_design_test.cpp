#include "base/pair_design.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/topology_queries.hpp"

namespace groma {
namespace {

std::vector<std::size_t> uses_of(const std::vector<Pair>& pairs, std::uint32_t members) {
  std::vector<std::size_t> uses(members, 0);
  for (const Pair& pair : pairs) {
    ++uses[pair.first];
    ++uses[pair.second];
  }
  return uses;
}

TEST(PairDesign, AllPairsOfFewMembers) {
  EXPECT_EQ(unordered_pairs(24).size(), 276U);
  EXPECT_EQ(unordered_pairs(1).size(), 0U);
  EXPECT_EQ(ordered_pairs(3).size(), 9U);
}

TEST(PairDesign, MixingKeepsEveryPairOnce) {
  RandomStream random(3);
  const std::vector<Pair> pairs = unordered_pairs(17);
  std::vector<Pair> mixed = evenly_mixed(pairs, pairs.size(), random);
  EXPECT_NE(mixed, pairs);
  std::sort(mixed.begin(), mixed.end());
  EXPECT_EQ(mixed, pairs);
}

TEST(PairDesign, AnyPrefixUsesTheMembersAboutEqually) {
  RandomStream random(5);
  const std::vector<Pair> mixed = evenly_mixed(unordered_pairs(64), 96, random);
  EXPECT_EQ(mixed.size(), 96U);
  const auto uses = uses_of(mixed, 64);
  EXPECT_GE(*std::min_element(uses.begin(), uses.end()), 2U);
  EXPECT_LE(*std::max_element(uses.begin(), uses.end()), 4U);
}

TEST(PairDesign, EveryClassIsRepresentedHoweverRareItIs) {
  const std::vector<Pair> rare = {{0, 1}, {2, 3}};
  const std::vector<Pair> all = unordered_pairs(100);
  const auto chosen = spread_over_classes({rare, all}, 50, RandomStream(1));
  EXPECT_EQ(chosen.size(), 50U);
  for (const Pair& pair : rare) EXPECT_NE(std::find(chosen.begin(), chosen.end(), pair), chosen.end());
}

TEST(PairDesign, NoPairIsChosenTwice) {
  const std::vector<Pair> all = unordered_pairs(12);
  const auto chosen = spread_over_classes({all, all, all}, 1000, RandomStream(1));
  EXPECT_EQ(chosen.size(), all.size());
  EXPECT_EQ(std::set<Pair>(chosen.begin(), chosen.end()).size(), all.size());
}

TEST(PairDesign, NothingToChooseFromGivesNothing) {
  EXPECT_TRUE(spread_over_classes({}, 10, RandomStream(1)).empty());
  EXPECT_TRUE(spread_over_classes({{}, {}}, 10, RandomStream(1)).empty());
}

TEST(PairDesign, TheSeedDecides) {
  const std::vector<Pair> all = unordered_pairs(30);
  EXPECT_EQ(spread_over_classes({all}, 20, RandomStream(7)), spread_over_classes({all}, 20, RandomStream(7)));
  EXPECT_NE(spread_over_classes({all}, 20, RandomStream(7)), spread_over_classes({all}, 20, RandomStream(8)));
}

/// Two packages of NUMA nodes of `cores` cores with two hardware threads each, no caches declared.
Topology machine(std::uint32_t cores) {
  Topology topology;
  for (std::uint32_t i = 0; i < 2 * cores; ++i) {
    const std::uint32_t package = i / cores;
    topology.cores.push_back({LogicalCore(i), PhysicalCore(i), i / 2, package, NumaNode(package)});
    topology.allowed.emplace_back(i);
  }
  return topology;
}

TEST(CorePairs, AreAllPairsOfFewCores) {
  EXPECT_EQ(choose_core_pairs(machine(12), 24, RandomStream(1)).size(), 276U);
  EXPECT_EQ(choose_core_pairs(machine(1), 24, RandomStream(1)).size(), 1U);
  EXPECT_TRUE(choose_core_pairs(machine(0), 24, RandomStream(1)).empty());
}

TEST(CorePairs, GrowLinearlyWithTheCores) {
  EXPECT_EQ(choose_core_pairs(machine(24), 24, RandomStream(1)).size(), 300U);
  EXPECT_EQ(choose_core_pairs(machine(128), 24, RandomStream(1)).size(), 4U * 256U);
  EXPECT_EQ(choose_core_pairs(machine(200), 24, RandomStream(1)).size(), 4U * 400U);
}

TEST(CorePairs, HoldEveryRelationAndEveryCore) {
  const Topology topology = machine(128);
  const Relations relations(topology);
  std::map<Relation, std::size_t> of_relation;
  const auto pairs = choose_core_pairs(topology, 24, RandomStream(1));
  for (const Pair& pair : pairs)
    ++of_relation[relations.between(LogicalCore(pair.first), LogicalCore(pair.second))];
  ASSERT_EQ(of_relation.size(), 3U) << "siblings, same node, other package";
  for (const auto& [relation, count] : of_relation) EXPECT_GE(count, 128U) << name_of(relation);
  const auto uses = uses_of(pairs, 256);
  EXPECT_GE(*std::min_element(uses.begin(), uses.end()), 4U);
}

}  // namespace
}  // namespace groma
