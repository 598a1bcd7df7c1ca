#include <gtest/gtest.h>

#include "testing/benchmark_fixture.hpp"

namespace groma::hpcc {
namespace {

/// The benchmark as the suite runs it, on small matrices.
class DgemmRun : public ::testing::Test, public BenchmarkRun {
 protected:
  void SetUp() override {
    plan.sizes.dgemm = 37;
    plan.effort.repetitions = 3;
    run_benchmark("dgemm");
  }
};

TEST_F(DgemmRun, PassesItsCheck) {
  ASSERT_EQ(outcome.checks.size(), world.is_root() ? 1U : 0U);
  for (const Check& check : outcome.checks) EXPECT_TRUE(check.passed()) << check.value;
}

TEST_F(DgemmRun, TellsAllKeysOfTheSuite) {
  if (!world.is_root()) return;
  EXPECT_EQ(value_of("DGEMM_N"), "37");
  EXPECT_GT(std::stod(value_of("StarDGEMM_Gflops")), 0.0);
  EXPECT_GT(std::stod(value_of("SingleDGEMM_Gflops")), 0.0);
  EXPECT_EQ(outcome.summary.size(), 3U);
}

TEST_F(DgemmRun, KeepsTheSamplesOfEveryRank) {
  if (!world.is_root()) return;
  ASSERT_EQ(sink.values.size(), static_cast<std::size_t>(world.size()) + 1U);
  for (const auto& samples : sink.values) EXPECT_GE(samples.size(), 3U);
}

}  // namespace
}  // namespace groma::hpcc
