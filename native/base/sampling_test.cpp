#include "base/sampling.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "testing/collecting_sink.hpp"
#include "testing/fakes.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma {
namespace {

class Sampling : public ::testing::Test {
 protected:
  EndReason run(const std::vector<Task>& tasks, std::size_t cases) {
    return sample_interleaved(std::vector<Case>(cases, Case("s")), tasks, rule, clock, cancelled, sink);
  }
  Task constant(std::size_t which, double value, Seconds cost = Seconds(0.0)) {
    return {[this, which, value, cost](Recorder& recorder) {
      clock.time = clock.time + cost;
      order += std::to_string(which);
      recorder.sample(which, value);
    }};
  }
  SamplingRule rule;
  fake::ManualClock clock;
  std::atomic<bool> cancelled = false;
  CollectingSink sink;
  std::string order;
};

TEST_F(Sampling, StopsAsSoonAsEveryCaseIsSettled) {
  EXPECT_EQ(run({constant(0, 1.0), constant(1, 2.0)}, 2), EndReason::kStable);
  EXPECT_EQ(sink.values[0].size(), rule.min_rounds);
}

TEST_F(Sampling, GoesOnToTheLastRoundWhileACaseKeepsFalling) {
  double falling = 1e9;
  const Task task{[&](Recorder& recorder) { recorder.sample(0, falling /= 2); }};
  EXPECT_EQ(run({task}, 1), EndReason::kRounds);
  EXPECT_EQ(sink.values[0].size(), rule.max_rounds);
}

TEST_F(Sampling, FinishesTheFirstRoundOnTheSmallestBudget) {
  rule.budget = Seconds(0.5);
  EXPECT_EQ(run({constant(0, 1.0, Seconds(1.0)), constant(1, 1.0, Seconds(1.0))}, 2), EndReason::kBudget);
  EXPECT_EQ(sink.values[0].size(), 1U);
  EXPECT_EQ(sink.values[1].size(), 1U);
}

TEST_F(Sampling, EndsTheFirstRoundWithTheBudgetWhereItNeedNotBeWhole) {
  rule.budget = Seconds(2.5);
  rule.whole_first_round = false;
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < 100; ++i) tasks.push_back(constant(i, 1.0, Seconds(1.0)));
  EXPECT_EQ(run(tasks, 100), EndReason::kBudget);
  EXPECT_EQ(clock.time, Seconds(3.0));
}

TEST_F(Sampling, KeepsWhatItMeasuredWhenCancelled) {
  const Task cancelling{[&](Recorder& recorder) {
    recorder.sample(0, 1.0);
    cancelled = recorder.round() == 2;
  }};
  EXPECT_EQ(run({cancelling}, 1), EndReason::kInterrupted);
  EXPECT_EQ(sink.values[0].size(), 3U);
}

TEST_F(Sampling, CostlyTasksTakeNoMoreThanHalfOfTheTimeAfterTheirFirstTurn) {
  rule.budget = Seconds(100.0);
  rule.max_rounds = 1000;
  double falling = 1e300;
  const Task cheap{[&](Recorder& recorder) {
    clock.time = clock.time + Seconds(1.0);
    recorder.sample(0, falling /= 2);
  }};
  Task costly = constant(1, 1.0, Seconds(20.0));
  costly.every = 4;
  EXPECT_EQ(run({cheap, costly}, 2), EndReason::kBudget);
  EXPECT_GE(sink.values[0].size(), 40U);
  EXPECT_GE(sink.values[1].size(), 2U);
  EXPECT_LE(sink.values[1].size(), 3U);
}

TEST_F(Sampling, CostlyTasksLeaveTheOthersTheirHalfOfTheBudget) {
  rule.budget = Seconds(20.0);
  double falling = 1e300;
  const Task cheap{[&](Recorder& recorder) {
    clock.time = clock.time + Seconds(1.0);
    recorder.sample(0, falling /= 2);
  }};
  Task costly = constant(1, 1.0, Seconds(100.0));
  costly.every = 4;
  EXPECT_EQ(run({cheap, costly}, 2), EndReason::kBudget);
  EXPECT_EQ(sink.values[0].size(), 10U);
  EXPECT_EQ(sink.values[1].size(), 1U);
}

TEST_F(Sampling, CountsInEachRoundWhatWasDiscarded) {
  const Task throttled{
      [](Recorder& recorder) { recorder.round() % 2 == 0 ? recorder.discard() : recorder.sample(0, 1.0); }};
  run({throttled}, 1);
  ASSERT_GE(sink.rounds.size(), 2U);
  EXPECT_EQ(sink.rounds[0].discarded, 1U);
  EXPECT_EQ(sink.rounds[1].discarded, 0U);
}

TEST_F(Sampling, CountsWhatWasDiscardedInARoundThatTheBudgetCutsOff) {
  rule.budget = Seconds(3.0);
  const Task throttled{[&](Recorder& recorder) {
    clock.time = clock.time + Seconds(1.0);
    recorder.discard();
  }};
  EXPECT_EQ(run({throttled, throttled}, 2), EndReason::kBudget);
  ASSERT_EQ(sink.rounds.size(), 2U);
  EXPECT_EQ(sink.rounds[1].round, 1U);
  EXPECT_EQ(sink.rounds[1].discarded, 1U);
}

TEST_F(Sampling, CountsWhatWasDiscardedInARoundThatIsCancelled) {
  const Task cancelling{[&](Recorder& recorder) {
    recorder.discard();
    cancelled = true;
  }};
  EXPECT_EQ(run({cancelling, cancelling}, 2), EndReason::kInterrupted);
  ASSERT_EQ(sink.rounds.size(), 1U);
  EXPECT_EQ(sink.rounds[0].discarded, 1U);
}

TEST_F(Sampling, ReportsNoRoundInWhichNothingRan) {
  rule.budget = Seconds(1.0);
  EXPECT_EQ(run({constant(0, 1.0, Seconds(1.0))}, 1), EndReason::kBudget);
  EXPECT_EQ(sink.rounds.size(), 1U);
}

TEST_F(Sampling, OrdersEachRoundAnewAndRepeatsWithTheSeed) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < 8; ++i) tasks.push_back(constant(i, 1.0));
  run(tasks, 8);
  const std::string first = order;
  std::set<std::string> rounds;
  for (std::size_t at = 0; at < first.size(); at += 8) rounds.insert(first.substr(at, 8));
  EXPECT_EQ(rounds.size(), first.size() / 8);
  order.clear();
  run(tasks, 8);
  EXPECT_EQ(order, first);
}

TEST_F(Sampling, RunsCostlyTasksInEveryNthRoundOnly) {
  Task costly = constant(1, 1.0);
  costly.every = 4;
  rule.max_rounds = 9;
  rule.settled_share = 1.0;
  run({constant(0, 1.0), costly}, 2);
  EXPECT_EQ(sink.values[0].size(), 9U);
  EXPECT_EQ(sink.values[1].size(), 3U);
}

TEST_F(Sampling, ReportsTheDisturbanceOfEveryRound) {
  run({constant(0, 1.0, Seconds(0.125))}, 1);
  ASSERT_EQ(sink.rounds.size(), rule.min_rounds);
  EXPECT_DOUBLE_EQ(sink.rounds[0].elapsed.value(), 0.125);
  EXPECT_DOUBLE_EQ(sink.rounds[0].wall_over_cpu, 1.0);
  EXPECT_GT(sink.rounds[0].fixed_work.value(), 0.0);
}

}  // namespace
}  // namespace groma
