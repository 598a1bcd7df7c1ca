#include "survey/sharing_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace groma::survey {
namespace {

using Cores = std::vector<LogicalCore>;

/// Cores with two threads, private first and second levels, a third level for each `cluster` cores.
Topology machine(std::uint32_t cores, std::uint32_t threads, std::uint32_t cluster) {
  Topology topology;
  for (std::uint32_t i = 0; i < cores * threads; ++i) {
    topology.cores.push_back({LogicalCore(i), PhysicalCore(i), i / threads, 0, NumaNode(0)});
    topology.allowed.emplace_back(i);
  }
  const auto add = [&](std::uint32_t level, Bytes size, std::uint32_t width) {
    for (std::uint32_t first = 0; first < cores * threads; first += width) {
      TopologyCache cache;
      cache.level = level;
      cache.kind = level == 1 ? "data" : "unified";
      cache.size = size;
      for (std::uint32_t i = 0; i < width; ++i) cache.cores.emplace_back(first + i);
      topology.caches.push_back(cache);
    }
  };
  add(1, 32_KiB, threads);
  add(2, 1_MiB, threads);
  add(3, 32_MiB, cluster * threads);
  return topology;
}

void add_cache(Topology& topology, std::uint32_t level, Bytes size, std::uint32_t first,
               std::uint32_t count) {
  TopologyCache cache;
  cache.level = level;
  cache.kind = level == 1 ? "data" : "unified";
  cache.size = size;
  for (std::uint32_t i = 0; i < count; ++i) cache.cores.emplace_back(first + i);
  topology.caches.push_back(cache);
}

/// As Meteor Lake: two large cores, a cluster of four small ones, two slow ones without the third level.
Topology hybrid() {
  Topology topology;
  for (std::uint32_t i = 0; i < 8; ++i) {
    topology.cores.push_back({LogicalCore(i), PhysicalCore(i), i, 0, NumaNode(0)});
    topology.allowed.emplace_back(i);
    add_cache(topology, 1, i < 2 ? 48_KiB : 32_KiB, i, 1);
    if (i < 2) add_cache(topology, 2, 1280_KiB, i, 1);
  }
  add_cache(topology, 2, 2_MiB, 2, 4);
  add_cache(topology, 2, 2_MiB, 6, 2);
  add_cache(topology, 3, 24_MiB, 0, 6);
  return topology;
}

std::vector<SharingStage> stages_of_level(const Topology& topology, std::uint32_t level) {
  std::vector<SharingStage> stages = sharing_stages(topology, {.groups = 64, .members = 4});
  std::erase_if(stages, [&](const SharingStage& stage) { return stage.level != level; });
  return stages;
}

std::set<LogicalCore> victims_of(const SharingStage& stage) {
  std::set<LogicalCore> victims;
  for (const SharingTest& test : sharing_tests(stage)) {
    victims.insert(test.victims.begin(), test.victims.end());
  }
  return victims;
}

std::set<std::pair<LogicalCore, LogicalCore>> tested_pairs(const CoreGroups& groups) {
  std::set<std::pair<LogicalCore, LogicalCore>> pairs;
  for (const SharingTest& test : sharing_tests(groups)) {
    for (const LogicalCore victim : test.victims) {
      for (const LogicalCore evictor : test.evictors) pairs.emplace(victim, evictor);
    }
  }
  return pairs;
}

TEST(SharingPlan, GroupsAreThoseDeclaredAmongTheAllowedCores) {
  Topology topology = machine(4, 2, 2);
  topology.allowed = {LogicalCore(1), LogicalCore(2), LogicalCore(5)};
  const CoreGroups third = {{LogicalCore(1), LogicalCore(2)}, {LogicalCore(5)}};
  EXPECT_EQ(declared_groups(topology, 3), third);
  const CoreGroups alone = {{LogicalCore(1)}, {LogicalCore(2)}, {LogicalCore(5)}};
  EXPECT_EQ(declared_groups(topology, 4), alone) << "a level that is not declared groups nobody";
}

TEST(SharingPlan, EveryTwoGroupsMeetInBothRoles) {
  for (const std::uint32_t count : {2U, 3U, 5U, 8U, 64U}) {
    CoreGroups groups;
    for (std::uint32_t i = 0; i < count; ++i) groups.push_back({LogicalCore(i)});
    EXPECT_EQ(tested_pairs(groups).size(), std::size_t{count} * (count - 1));
  }
}

TEST(SharingPlan, EveryTwoMembersOfAGroupMeet) {
  const CoreGroups groups = {{LogicalCore(0), LogicalCore(1), LogicalCore(2)},
                             {LogicalCore(7), LogicalCore(8)}};
  const auto pairs = tested_pairs(groups);
  for (const auto& [victim, evictor] :
       {std::pair(0U, 1U), {0U, 2U}, {1U, 2U}, {7U, 8U}, {0U, 7U}, {7U, 0U}, {0U, 8U}, {7U, 2U}}) {
    EXPECT_TRUE(pairs.contains({LogicalCore(victim), LogicalCore(evictor)})) << victim << " " << evictor;
  }
}

TEST(SharingPlan, NobodyIsVictimAndEvictorAtOnce) {
  for (const SharingTest& test : sharing_tests(declared_groups(machine(24, 2, 8), 3))) {
    std::set<LogicalCore> seen(test.victims.begin(), test.victims.end());
    for (const LogicalCore evictor : test.evictors) EXPECT_TRUE(seen.insert(evictor).second);
    EXPECT_FALSE(test.victims.empty());
    EXPECT_FALSE(test.evictors.empty());
  }
}

TEST(SharingPlan, TestsDoNotGrowWithTheSquareOfTheCores) {
  const SamplingLimits limits{.groups = 64, .members = 4};
  std::size_t tests = 0;
  for (const SharingStage& stage : sharing_stages(machine(256, 2, 8), limits)) {
    tests += sharing_tests(stage.groups).size();
  }
  EXPECT_LT(tests, 100U);
}

TEST(SharingPlan, OneCoreNeedsNoTest) {
  EXPECT_TRUE(sharing_tests({{LogicalCore(3)}}).empty());
}

TEST(SharingPlan, SetsLieBelowTheirLevelAndAboveTheOneBefore) {
  const auto stages = sharing_stages(machine(4, 1, 4), {.groups = 64, .members = 4});
  ASSERT_EQ(stages.size(), 6U);
  EXPECT_EQ(stages[0].set, 24_KiB);
  EXPECT_EQ(stages[1].level, 2U);
  EXPECT_EQ(stages[2].level, 3U);
  EXPECT_EQ(stages[5].level, 3U);
  EXPECT_GT(stages[5].set, 1_MiB);
}

TEST(SharingPlan, EachKindOfCoreIsTestedWithSetsOfItsOwnCaches) {
  const auto first = stages_of_level(hybrid(), 1);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].set, 24_KiB) << "small enough for the small cores";
  EXPECT_EQ(first[0].groups.size(), 8U);
  EXPECT_EQ(first[1].set, 32_KiB);
  EXPECT_EQ(victims_of(first[1]).size(), 8U) << "a set of a whole smaller cache may still stay in it";
  const auto second = stages_of_level(hybrid(), 2);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_LT(second[0].set, 1280_KiB);
  EXPECT_EQ(second[0].groups.size(), 4U);
  EXPECT_GT(second[1].set, 1280_KiB);
  EXPECT_EQ(victims_of(second[1]),
            (std::set{LogicalCore(2), LogicalCore(3), LogicalCore(4), LogicalCore(6)}));
  EXPECT_EQ(second[1].strangers, (Cores{LogicalCore(0), LogicalCore(1)}));
}

TEST(SharingPlan, CoresWithoutALevelEvictButAreNoVictims) {
  for (const SharingStage& stage : stages_of_level(hybrid(), 3)) {
    EXPECT_EQ(stage.strangers, (Cores{LogicalCore(6), LogicalCore(7)})) << stage.set.value();
    const std::set<LogicalCore> victims = victims_of(stage);
    EXPECT_FALSE(victims.contains(LogicalCore(6)));
    const auto tests = sharing_tests(stage);
    EXPECT_TRUE(std::ranges::any_of(tests, [](const SharingTest& test) {
      return test.evictors == Cores{LogicalCore(6), LogicalCore(7)};
    }));
    EXPECT_EQ(participants(stage).size(), 6U) << "four of the six members, and the strangers";
  }
}

TEST(SharingPlan, SetsFollowTheCachesOfTheAllowedCoresWhicheverIsFirst) {
  Topology topology = hybrid();
  topology.allowed = {LogicalCore(6), LogicalCore(7), LogicalCore(2), LogicalCore(3)};
  const auto last = stages_of_level(topology, 3);
  ASSERT_FALSE(last.empty()) << "the first core has no third level, others have";
  EXPECT_GT(last.front().set, 16_MiB);
}

TEST(SharingPlan, SamplesSpreadOverGroupsAndMembers) {
  const CoreGroups few = sampled(declared_groups(machine(128, 1, 8), 3), 4, 3);
  ASSERT_EQ(few.size(), 4U);
  EXPECT_EQ(few.front(), (Cores{LogicalCore(0), LogicalCore(3), LogicalCore(7)}));
  EXPECT_EQ(few.back().back(), LogicalCore(127));
}

TEST(SharingPlan, WithoutDeclaredCachesAllSizesAreTried) {
  Topology topology = machine(2, 1, 2);
  topology.caches.clear();
  const auto stages = sharing_stages(topology, {.groups = 64, .members = 4});
  EXPECT_EQ(stages.size(), 11U);
  for (const SharingStage& stage : stages) EXPECT_EQ(stage.groups.size(), 2U);
}

TEST(SharingPlan, GivenSetsTestTheLevelThatHoldsThem) {
  const auto stages = sharing_stages(machine(2, 1, 2), {.groups = 64, .members = 4}, {24_KiB, 3_MiB, 64_MiB});
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[0].level, 1U);
  EXPECT_EQ(stages[1].level, 3U);
  EXPECT_EQ(stages[2].level, 3U);
}

}  // namespace
}  // namespace groma::survey
