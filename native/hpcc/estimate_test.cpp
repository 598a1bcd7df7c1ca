#include "hpcc/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hpcc/benchmark.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

/// Every registered test, on a matrix of order n.
Plan plan_of(std::uint64_t n, int ranks = 2) {
  const Result<Plan> made = plan_from({.n = {n}, .nb = {192}, .grids = {squarest_grid(ranks)}}, ranks);
  EXPECT_TRUE(made);
  Plan plan = made.value();
  for (const Benchmark* one : Benchmarks::all()) plan.tests.emplace_back(one->info.name);
  return plan;
}

TEST(Cost, IsToldByEveryBenchmark) {
  const Plan plan = plan_of(2000);
  ASSERT_FALSE(plan.tests.empty());
  for (const Benchmark* one : Benchmarks::all()) {
    EXPECT_GT(one->cost.words(plan), 0.0) << one->info.name;
    EXPECT_GT(one->cost.time(plan, plan.effort.budget), Seconds(0.0)) << one->info.name;
  }
}

TEST(Cost, GrowsWithTheMatrix) {
  const Plan small = plan_of(2000);
  const Plan large = plan_of(8000);
  for (const Benchmark* one : Benchmarks::all()) {
    EXPECT_GE(one->cost.words(large), one->cost.words(small)) << one->info.name;
    EXPECT_GE(one->cost.time(large, Seconds(1e9)), one->cost.time(small, Seconds(1e9))) << one->info.name;
  }
}

TEST(Cost, IsFiniteForTheSmallestMatrices) {
  for (const std::uint64_t n : {1U, 2U, 3U, 5U}) {
    for (const int ranks : {1, 2}) {
      const Plan plan = plan_of(n, ranks);
      for (const Benchmark* one : Benchmarks::all()) {
        EXPECT_TRUE(std::isfinite(one->cost.time(plan, plan.effort.budget).value())) << one->info.name << n;
      }
    }
  }
}

TEST(Cost, FallsWithEveryRateThatSomethingDependsOn) {
  const Plan plan = plan_of(4000);
  for (const RateName& rate : rate_names()) {
    Plan fast = plan;
    fast.rates.*rate.value *= 2.0;
    EXPECT_LT(full_time_of(fast), full_time_of(plan)) << rate.name;
  }
}

TEST(Cost, CountsTheRankThatHoldsMostWhereBlocksAreLarge) {
  constexpr double n = 4000.0;
  Plan plan = plan_of(8000, 4);
  plan.ptrans = {{4000, 4000, {2, 2}}};  // one block, of one rank
  EXPECT_GE(Benchmarks::find("ptrans")->cost.words(plan), 2.0 * n * n) << "A and C";
  plan.hpl = {{4000, 4000, {2, 2}, RankOrder::kRowMajor, {}}};
  EXPECT_GE(Benchmarks::find("hpl")->cost.words(plan), n * n);
}

TEST(TimeOf, IsTheSumOfAllTestsAndTheStart) {
  const Plan plan = plan_of(4000);
  Seconds sum(0.0);
  for (const std::string& test : plan.tests) sum = sum + time_of(test, plan);
  EXPECT_GT(time_of(plan), sum);
  EXPECT_LT(time_of(plan), sum + Seconds(2.0));
  EXPECT_EQ(time_of("linpakc", plan), Seconds(0.0));
}

TEST(TimeOf, CountsTheRepetitionsThatTheBudgetLeavesToALongRun) {
  Plan plan = plan_of(30'000);
  plan.tests = {"hpl"};
  const Seconds within = time_of(plan);
  EXPECT_LT(within * 3.0, full_time_of(plan));
  plan.effort.budget = Seconds(1e9);
  EXPECT_EQ(time_of(plan), full_time_of(plan));
}

TEST(TimeAfter, IsWhatTheTestsBehindNeed) {
  Plan plan = plan_of(4000);
  plan.tests = {"dgemm", "stream", "fft"};
  const Seconds behind = time_of("stream", plan) + time_of("fft", plan);
  EXPECT_DOUBLE_EQ(time_after("dgemm", plan).value(), behind.value());
  EXPECT_EQ(time_after("fft", plan), Seconds(0.0));
}

TEST(MemoryPerRank, IsThatOfTheTestThatNeedsMost) {
  const Plan plan = plan_of(4000);
  Bytes most;
  for (const std::string& test : plan.tests) most = std::max(most, memory_of(test, plan));
  EXPECT_EQ(memory_per_rank(plan), most);
  EXPECT_GE(most, Bytes(8 * 4000 * 4000 / 2));
}

}  // namespace
}  // namespace groma::hpcc
