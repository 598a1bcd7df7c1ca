#include "survey/set_up.hpp"

#include <gtest/gtest.h>

#include "testing/collecting_sink.hpp"
#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

/// Advances by some seconds whenever it is asked.
struct SlowClock final : Clock {
  explicit SlowClock(double step) : step_(step) {}
  Seconds now() const override { return Seconds(step_ * ++asked); }
  Seconds thread_cpu() const override { return now(); }
  double step_;
  mutable int asked = 0;
};

struct SetUp : ::testing::Test {
  Result<Block> block = Block::map(64_MiB, PageMode::kSmall);
  Result<Parameters> parameters = Parameters::parse(Probes::find("load_latency")->info, {"budget=1"});
  Topology topology = this_topology();
  std::atomic<bool> cancelled = false;
  CollectingSink sink;

  Context context(const Clock& clock) {
    return {.parameters = parameters.value(),
            .topology = topology,
            .clock = clock,
            .cancelled = cancelled,
            .memory = 512_MiB,
            .started = Seconds(0.0),
            .sink = sink};
  }
};

TEST_F(SetUp, GivesUpWhereMemoryTakesManyTimesTheBudget) {
  const SlowClock clock(20.0);
  const Status status = touch(block.value(), context(clock));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "probe.no_time");
  EXPECT_EQ(clock.asked, 2);
}

TEST_F(SetUp, TouchesAllWhereItIsFastEnough) {
  const SlowClock clock(0.1);
  EXPECT_TRUE(touch(block.value(), context(clock)));
  EXPECT_EQ(clock.asked, 4);
}

TEST_F(SetUp, EndsOnAnInterruptionAndSaysSo) {
  cancelled = true;
  const SlowClock clock(20.0);
  EXPECT_TRUE(touch(block.value(), context(clock)));
  EXPECT_EQ(clock.asked, 0);
  sink.ended = EndReason::kRounds;
  EXPECT_TRUE(interrupted(context(clock)));
  EXPECT_EQ(sink.ended, EndReason::kInterrupted);
}

}  // namespace
}  // namespace groma::survey
