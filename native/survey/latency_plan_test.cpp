#include "survey/latency_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey {
namespace {

LatencyRequest request(Bytes last_level, Bytes memory) {
  return {.last_level = last_level,
          .max_size = Bytes(0),
          .per_octave = 8,
          .budget = Seconds(14.0),
          .memory = memory};
}

std::size_t above(const std::vector<Bytes>& sizes, Bytes size) {
  return static_cast<std::size_t>(std::ranges::count_if(sizes, [&](Bytes one) { return one > size; }));
}

TEST(LatencyPlan, GoesToFourTimesTheLastLevelWhereMemoryAllows) {
  const auto plan = plan_latency(request(32_MiB, 16384_MiB));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan.value().sizes.front(), 4_KiB);
  EXPECT_EQ(plan.value().sizes.back(), 128_MiB);
  EXPECT_EQ(above(plan.value().sizes, 64_MiB), 8U);
}

TEST(LatencyPlan, NeverTakesMoreThanTwoThirdsOfTheMemory) {
  for (const Bytes memory : {4_MiB, 8_MiB, 16_MiB, 32_MiB, 64_MiB, 128_MiB, 256_MiB, 1024_MiB, 4096_MiB}) {
    for (const Bytes last_level : {1_MiB, 32_MiB, 480_MiB}) {
      const auto plan = plan_latency(request(last_level, memory));
      if (!plan) continue;
      EXPECT_LE(memory_of_curve(plan.value().sizes.back(), memory).value() * 3, memory.value() * 2)
          << memory.value();
    }
  }
}

TEST(LatencyPlan, IsScaledToALittleMemory) {
  const auto plan = plan_latency(request(480_MiB, 48_MiB));
  ASSERT_TRUE(plan);
  EXPECT_GE(plan.value().sizes.back(), 8_MiB);
  EXPECT_LE(plan.value().sizes.back(), 16_MiB);
}

TEST(LatencyPlan, IsRefusedByNameWhereNoCacheCouldBeExceeded) {
  const auto plan = plan_latency(request(32_MiB, 4_MiB));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "probe.no_memory");
  EXPECT_NE(plan.error().what.find("4 MiB can be used"), std::string::npos) << plan.error().what;
}

/// A guest sees a last level of 480 MiB: sets up to 1920 MiB close together would take a minute a
/// round.
TEST(LatencyPlan, LiesWiderBeyondAllCachesWhereARoundWouldTakeTooLong) {
  const auto plan = plan_latency(request(480_MiB, 16384_MiB));
  ASSERT_TRUE(plan);
  EXPECT_GE(plan.value().sizes.back(), 960_MiB);
  EXPECT_LE(above(plan.value().sizes, 64_MiB), 5U);
  EXPECT_EQ(above(plan.value().sizes, 32_MiB) - above(plan.value().sizes, 64_MiB), 8U);
}

TEST(LatencyPlan, ObeysASizeThatIsAskedFor) {
  LatencyRequest small = request(32_MiB, 4096_MiB);
  small.max_size = 64_KiB;
  const auto plan = plan_latency(small);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan.value().sizes.back(), 64_KiB);
}

/// Setting up and one sample of each size would take many times the budget.
TEST(LatencyPlan, RefusesASizeThatIsAskedForAndTakesMoreThanItsBudget) {
  LatencyRequest large = request(32_MiB, 65536_MiB);
  large.max_size = 8192_MiB;
  const auto plan = plan_latency(large);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "probe.no_time");
  EXPECT_NE(plan.error().what.find("up to 8192 MiB takes about"), std::string::npos) << plan.error().what;
  large.budget = Seconds(600.0);
  EXPECT_TRUE(plan_latency(large));
}

TEST(LatencyPlan, TakesUpToTwoGibibytesWithAnyBudget) {
  LatencyRequest asked = request(32_MiB, 65536_MiB);
  asked.max_size = 2048_MiB;
  asked.budget = Seconds(0.1);
  EXPECT_TRUE(plan_latency(asked));
}

TEST(BeyondCache, IsTwiceTheLastLevelOrWhatAHypervisorMayLend) {
  EXPECT_EQ(least_beyond(32_MiB), 64_MiB);
  EXPECT_EQ(least_beyond(1_MiB), 32_MiB);
}

TEST(BeyondCache, ARefusalNamesWhatIsNeededAndWhatThereIs) {
  const Error error = too_little_memory("memory bandwidth", Bytes(1'500'000), 1_MiB);
  EXPECT_EQ(error.what,
            "memory bandwidth needs 2 MiB of available memory and 1 MiB can be used: not measured");
  EXPECT_FALSE(error.next.empty());
}

}  // namespace
}  // namespace groma::survey
