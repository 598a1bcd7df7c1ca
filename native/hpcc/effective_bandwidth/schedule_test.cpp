#include "hpcc/effective_bandwidth/schedule.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "hpcc/effective_bandwidth/allowance.hpp"
#include "hpcc/effective_bandwidth/headline.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

Network network(double latency, double seconds_per_byte) {
  const MessageTime time{Seconds(latency), seconds_per_byte};
  return {.pair = time, .ring = time, .random_ring = time, .is_measured = true};
}

/// A test alone with this budget.
Plan plan_of(const Network& network, int ranks, double budget) {
  Plan plan;
  plan.ranks = ranks;
  plan.network = network;
  plan.tests = {"effective_bandwidth"};
  plan.effort = {.repetitions = 5, .budget = Seconds(budget)};
  return plan;
}

using Truth = std::function<Seconds(const Pattern&)>;

/// A first round in a network in which samples take as long as `truth` says.
struct SimulatedRound {
  SimulatedRound(const Plan& plan, const Truth& truth)
      : patterns(patterns_of(scope_of(plan, plan.effort.budget))), decisive(slots_of(patterns), kNothing) {
    Pace pace(plan.network, plan.ranks);
    Schedule schedule(patterns, urgent_order(patterns, RandomStream(1)), pace, plan.effort.budget);
    while (const auto sample = schedule.next(took)) {
      const Pattern& pattern = patterns[sample->pattern];
      took = took + truth(pattern);
      // In the slot of its twin, as a rank counts its faster way.
      const bool is_twin = pattern.exchange == Exchange::kNonBlocking;
      decisive[is_twin ? sample->slot - pattern.repeats : sample->slot] = truth(pattern).value();
    }
    is_whole = schedule.is_whole();
    coverage = coverage_of(patterns, decisive);
  }

  static constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  std::vector<Pattern> patterns;
  std::vector<double> decisive;
  Seconds took{0.0};
  bool is_whole = false;
  Coverage coverage{};
};

Truth as_expected(const Plan& plan) {
  return [plan](const Pattern& pattern) { return expected_time(plan.network, plan.ranks, pattern); };
}

TEST(Schedule, IsWholeInAFastNetwork) {
  const Plan plan = plan_of(network(1e-6, 0.2e-9), 8, 20.0);
  const SimulatedRound round(plan, as_expected(plan));
  EXPECT_TRUE(round.is_whole);
  EXPECT_LT(round.took, Seconds(4.0));
  EXPECT_EQ(round.coverage, (Coverage{56, 56, 30, 10}));
}

/// Four hosts at 50 Mbit/s, eight at 5.
TEST(Schedule, HoldsTheBudgetInASlowNetworkAndMeasuresSomethingOfEachKind) {
  for (const auto& [rate, ranks, budget] : {std::tuple{50e6, 4, 20.0}, std::tuple{5e6, 8, 120.0}}) {
    const Plan plan = plan_of(network(1e-3, 8.0 / rate), ranks, budget);
    const SimulatedRound round(plan, as_expected(plan));
    EXPECT_LE(round.took, Seconds(budget));
    EXPECT_GE(round.took, Seconds(0.3 * budget));
    EXPECT_EQ(round.coverage.latency_rings, 30U);
    EXPECT_GE(round.coverage.bandwidth_rings, 1U);
    EXPECT_GE(round.coverage.bandwidth_pairs, 1U);
  }
}

/// A cable that no measured message crossed: some samples take fifty times as long as promised.
TEST(Schedule, HoldsTheBudgetWhereSomeRoutesAreSlowerThanAllThatWasMeasured) {
  const Plan plan = plan_of(network(1e-4, 20e-9), 8, 60.0);
  const SimulatedRound round(plan, [&](const Pattern& pattern) {
    return expected_time(plan.network, plan.ranks, pattern) * (pattern.route % 2 == 1 ? 50.0 : 1.0);
  });
  EXPECT_FALSE(round.is_whole);
  EXPECT_LE(round.took, Seconds(60.0 * 1.25));
  EXPECT_GE(round.coverage.bandwidth_pairs, 1U);
}

TEST(Schedule, LeavesOutOnlyWhatDoesNotEndInTime) {
  const Plan plan = plan_of(network(1e-4, 8.0 / 1e6), 4, 10.0);  // a long message takes 16 s
  const SimulatedRound round(plan, as_expected(plan));
  EXPECT_FALSE(round.is_whole);
  EXPECT_EQ(round.coverage.latency_pairs, 12U);
  EXPECT_EQ(round.coverage.latency_rings, 30U);
  EXPECT_EQ(round.coverage.bandwidth_rings, 0U);
}

TEST(Schedule, MeasuresOneSampleWhereThereIsNoTimeAtAll) {
  const Plan plan = plan_of(network(1e-4, 1e-9), 4, 10.0);
  const auto patterns = patterns_of(scope_of(plan, plan.effort.budget));
  const auto order = urgent_order(patterns, RandomStream(1));
  Pace pace(plan.network, plan.ranks);
  Schedule first(patterns, order, pace, Seconds(0.0));
  EXPECT_TRUE(first.next(Seconds(1.0)));
  EXPECT_FALSE(first.next(Seconds(2.0)));
  EXPECT_FALSE(Schedule(patterns, order, pace, Seconds(0.0)).next(Seconds(2.0)));
}

TEST(Pace, TakesTheSlowestSampleOfAKindForThoseToCome) {
  const Plan plan = plan_of(network(1e-3, 1e-7), 4, 60.0);
  const auto patterns = patterns_of(scope_of(plan, Seconds(1e6)));
  Pace pace(plan.network, plan.ranks);
  const Pattern& one = patterns.front();
  const Seconds promised = pace.expected(one);
  pace.learn(one, promised * 0.5);
  EXPECT_DOUBLE_EQ(pace.expected(one).value(), 0.5 * promised.value());
  pace.learn(one, promised * 3.0);
  pace.learn(one, promised);
  EXPECT_DOUBLE_EQ(pace.expected(one).value(), 3.0 * promised.value());
}

TEST(TimeTaken, IsThatOfTheScheduleOnAnyNetwork) {
  for (const double rate : {5e6, 50e6, 1e9, 1e11}) {
    const Plan plan = plan_of(network(1e-5, 8.0 / rate), 8, 60.0);
    const SimulatedRound round(plan, as_expected(plan));
    EXPECT_GE(time_taken(plan, Seconds(60.0)), round.took * 0.99) << rate;
    EXPECT_LE(time_taken(plan, Seconds(60.0)), Seconds(60.0)) << rate;
  }
}

TEST(AllowedTime, IsTheBudgetForThisTestAloneAndAFifthBesideOthers) {
  Plan plan = plan_of({}, 4, 60.0);
  EXPECT_EQ(allowed_time(plan, Seconds(1e3)), Seconds(60.0));
  EXPECT_EQ(allowed_time(plan, Seconds(25.0)), Seconds(25.0));
  plan.tests.emplace_back("hpl");
  EXPECT_EQ(allowed_time(plan, Seconds(1e3)), Seconds(12.0));
  EXPECT_EQ(allowed_time(plan, Seconds(-3.0)), Seconds(1.0));
}

}  // namespace
}  // namespace groma::hpcc
