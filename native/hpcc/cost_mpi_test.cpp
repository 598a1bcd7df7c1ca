#include <gtest/gtest.h>

#include "base/random.hpp"
#include "hpcc/benchmark.hpp"
#include "hpcc/cost.hpp"
#include "testing/collecting_sink.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

/// Each reading is later than the one before by a random time, so that no rate settles.
class UnsteadyClock final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override {
    time_ = time_ + Seconds(1e-5 * static_cast<double>(1 + random_.below(4000)));
    return time_;
  }
  [[nodiscard]] Seconds thread_cpu() const override { return now(); }

 private:
  mutable RandomStream random_{7};
  mutable Seconds time_{0.0};
};

class ShortTest : public ::testing::TestWithParam<const char*> {};

/// Repetitions of a test whose figures never settle, where other tests leave it all of the budget. On the
/// root.
std::size_t repetitions_within(Seconds budget, const std::string& test) {
  const auto world = mpi::Communicator::world();
  Plan plan;
  plan.ranks = world.size();
  plan.sizes.stream = 1000;
  plan.ptrans = {{20, 4, {1, world.size()}}};
  plan.effort = {.repetitions = 2, .budget = budget};
  const UnsteadyClock clock;
  const std::atomic<bool> cancelled = false;
  CollectingSink sink;
  job::Measuring measuring{world, clock, cancelled, sink, 2, clock.now() + budget};
  measuring.most = 100'000;
  EXPECT_TRUE(Benchmarks::find(test)->run({measuring, plan}));
  if (world.is_root()) {
    EXPECT_EQ(sink.ended, EndReason::kBudget);
  }
  return world.is_root() ? sink.values.front().size() : 0;
}

TEST_P(ShortTest, MeasuresLongerWithALargerBudget) {
  const std::size_t usual = repetitions_within(Seconds(60.0), GetParam());
  const std::size_t more = repetitions_within(Seconds(300.0), GetParam());
  if (!mpi::Communicator::world().is_root()) return;
  EXPECT_GT(usual, 2U);
  EXPECT_GT(more, 4 * usual);
  EXPECT_LT(more, 6 * usual);
}

INSTANTIATE_TEST_SUITE_P(Suite, ShortTest, ::testing::Values("stream", "ptrans"));

TEST(TimeOfShortTest, IsAShareOfTheBudgetAndAFewSecondsOfASmallOne) {
  Plan plan;
  EXPECT_EQ(time_of_short_test(plan), Seconds(4.0)) << "of the usual budget";
  plan.effort.budget = Seconds(1.0);
  EXPECT_EQ(time_of_short_test(plan), Seconds(4.0)) << "for the repetitions that are asked for";
  plan.effort.budget = Seconds(1500.0);
  EXPECT_EQ(time_of_short_test(plan), Seconds(100.0));
}

}  // namespace
}  // namespace groma::hpcc
