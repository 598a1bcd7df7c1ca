#include "counters/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "testing/fake_counters.hpp"

namespace groma::counters {
namespace {

using Names = std::vector<std::string>;

Plan plan_of(const System& system, const Names& names) {
  Plan plan(system);
  for (const auto& name : names) EXPECT_TRUE(plan.add(name)) << name;
  return plan;
}

TEST(Plan, CommitsOnceWhatFits) {
  const FakeCounters fake;
  const auto set = plan_of(fake, {"cycles", "instructions", "page-faults", "tsc"}).commit();
  ASSERT_TRUE(set) << set.error().what;
  EXPECT_EQ(set.value().size(), 4U);
}

TEST(Plan, NamesTheEventsThatMakeRoom) {
  FakeCounters fake;
  fake.slots = 2;
  const Checked checked = plan_of(fake, {"r1", "page-faults", "r2", "r3"}).check();
  ASSERT_EQ(checked.collisions.size(), 1U);
  EXPECT_EQ(checked.collisions[0].event, "r3");
  EXPECT_EQ(checked.collisions[0].with, (Names{"r1", "r2"}));
  EXPECT_FALSE(checked.collisions[0].alone);
}

TEST(Plan, NamesTheOneEventThatHoldsTheOnlyPlace) {
  FakeCounters fake;
  fake.allowed = {{1, 0b0001}, {3, 0b0001}};
  const Checked checked = plan_of(fake, {"r1", "r2", "r3"}).check();
  ASSERT_EQ(checked.collisions.size(), 1U);
  EXPECT_EQ(checked.collisions[0].with, (Names{"r1"}));
  EXPECT_TRUE(checked.collisions[0].alone);
  EXPECT_EQ(checked.runs, (std::vector<Names>{{"r1", "r2"}, {"r3"}}));
}

TEST(Plan, CommitsNothingOfASetThatDoesNotFit) {
  FakeCounters fake;
  fake.slots = 2;
  const auto set = plan_of(fake, {"r1", "r2", "r3"}).commit();
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, "counters.collision");
  EXPECT_EQ(set.error().what, "r3 collides with r1, r2 (any of them)");
  EXPECT_EQ(fake.open_descriptors, 0);
}

TEST(Plan, SaysOfEachEventThatIsMissingWhy) {
  FakeCounters fake;
  fake.refusal_of_hardware = ENOENT;
  fake.files["/proc/cpuinfo"] = "flags : hypervisor";
  const Checked checked = plan_of(fake, {"cycles", "page-faults", "branches"}).check();
  ASSERT_EQ(checked.unavailable.size(), 2U);
  EXPECT_EQ(checked.unavailable[1].event, "branches");
  EXPECT_EQ(checked.unavailable[1].reason, "not supported by this virtual machine");
  EXPECT_EQ(checked.runs, (std::vector<Names>{{"page-faults"}}));
}

TEST(Plan, RefusesAnEventTwiceAndAnUnknownOne) {
  const FakeCounters fake;
  Plan other(fake);
  EXPECT_TRUE(other.add("cycles"));
  EXPECT_EQ(other.add("cycles").error().code, "counters.twice");
  EXPECT_EQ(other.add("nonsense").error().code, "counters.event");
  EXPECT_EQ(Plan(fake).commit().error().code, "counters.empty");
}

TEST(Plan, SchedulesEveryEventOnceInRunsThatFit) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 60; ++trial) {
    FakeCounters fake;
    fake.slots = static_cast<std::uint32_t>(1 + random() % 4);
    Names names;
    const std::uint64_t count = 1 + random() % 8;
    for (std::uint64_t code = 1; code <= count; ++code) {
      names.push_back("r" + std::to_string(code));
      fake.allowed[code] = static_cast<std::uint32_t>(1 + random() % ((1U << fake.slots) - 1));
    }
    const Checked checked = plan_of(fake, names).check();
    Names all;
    for (const Names& run : checked.runs) {
      EXPECT_TRUE(plan_of(fake, run).commit());
      all.insert(all.end(), run.begin(), run.end());
    }
    std::ranges::sort(all);
    EXPECT_EQ(all, names);
    EXPECT_EQ(checked.runs.size() == 1, checked.collisions.empty());
    EXPECT_EQ(fake.open_descriptors, 0);
  }
}

TEST(PlanOnThisMachine, FitsSoftwareEventsAndTheTimeStamp) {
  const Checked checked =
      plan_of(this_system(), {"page-faults", "task-clock", "context-switches", "tsc"}).check();
  EXPECT_TRUE(checked.unavailable.empty());
  EXPECT_EQ(checked.runs.size(), 1U);
}

}  // namespace
}  // namespace groma::counters
