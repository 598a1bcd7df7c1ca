#include <gtest/gtest.h>

#include "testing/benchmark_fixture.hpp"

namespace groma::hpcc {
namespace {

/// The benchmark as the suite runs it, on small vectors.
class StreamRun : public ::testing::TestWithParam<std::uint32_t>, public BenchmarkRun {
 protected:
  void SetUp() override {
    plan.sizes.stream = 10'007;
    plan.threads = GetParam();
    plan.effort.repetitions = 3;
    run_benchmark("stream");
  }
};

TEST_P(StreamRun, PassesItsCheck) {
  ASSERT_EQ(outcome.checks.size(), world.is_root() ? 1U : 0U);
  for (const Check& check : outcome.checks) EXPECT_TRUE(check.passed()) << check.value;
}

TEST_P(StreamRun, TellsAllKeysOfTheSuite) {
  if (!world.is_root()) return;
  EXPECT_EQ(value_of("STREAM_VectorSize"), "10007");
  EXPECT_EQ(value_of("STREAM_Threads"), std::to_string(GetParam()));
  for (const std::string mode : {"Star", "Single"}) {
    for (const std::string step : {"Copy", "Scale", "Add", "Triad"}) {
      EXPECT_GT(std::stod(value_of(std::string(mode).append("STREAM_").append(step))), 0.0);
    }
  }
  EXPECT_EQ(outcome.summary.size(), 10U);
}

TEST_P(StreamRun, KeepsTheSamplesOfEveryRank) {
  if (!world.is_root()) return;
  // Four kernels of every rank together, four of one alone.
  ASSERT_EQ(sink.values.size(), 4U * static_cast<std::size_t>(world.size()) + 4U);
  for (const auto& samples : sink.values) EXPECT_GE(samples.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Threads, StreamRun, ::testing::Values(1U, 3U));

}  // namespace
}  // namespace groma::hpcc
