#include <gtest/gtest.h>

#include "hpcc/hpl/process_grid.hpp"
#include "testing/benchmark_fixture.hpp"

namespace groma::hpcc {
namespace {

/// The benchmark as the suite runs it, on two small cases of which one leaves ranks idle.
class HplRun : public ::testing::Test, public BenchmarkRun {
 protected:
  void SetUp() override {
    HplMethod left;
    left.panel = left.recursion = PanelFactorization::kLeft;
    plan.hpl = {{20, 8, {1, 1}, RankOrder::kRowMajor, {}},
                {90, 8, {1, world.size()}, RankOrder::kColumnMajor, left}};
    plan.effort.repetitions = 2;
    run_benchmark("hpl");
  }
};

TEST_F(HplRun, ChecksAndReportsEveryCase) {
  ASSERT_EQ(outcome.checks.size(), world.is_root() ? 2U : 0U);
  for (const Check& check : outcome.checks) EXPECT_TRUE(check.passed()) << check.name << " " << check.value;
  if (!world.is_root()) return;
  EXPECT_NE(outcome.report.find("WR11C2R4 "), std::string::npos);
  EXPECT_NE(outcome.report.find("WC11L2L4 "), std::string::npos);
  EXPECT_NE(outcome.report.find("PASSED"), std::string::npos);
  EXPECT_EQ(outcome.report.find("FAILED"), std::string::npos);
}

TEST_F(HplRun, TellsAllKeysOfTheSuite) {
  if (!world.is_root()) return;
  for (const std::string key :
       {"Tflops", "time",  "eps",   "RnormI", "Anorm1", "AnormI", "Xnorm1", "XnormI", "BnormI", "N",
        "NB",     "nprow", "npcol", "depth",  "nbdiv",  "nbmin",  "cpfact", "crfact", "ctop",   "order"}) {
    EXPECT_NE(value_of("HPL_" + key), "") << key;
  }
  EXPECT_EQ(outcome.summary.size(), 20U);
  EXPECT_GT(std::stod(value_of("HPL_Tflops")), 0.0);
}

TEST_F(HplRun, KeepsRatesAndPhasesOfEveryRepetition) {
  if (!world.is_root()) return;
  ASSERT_EQ(sink.values.size(), 2U + 2U * 6U);
  for (const auto& samples : sink.values) EXPECT_GE(samples.size(), 2U);
}

TEST(ProcessGrids, AreMadeOnceForAllCasesOfOneShapeAndOrder) {
  const auto world = mpi::Communicator::world();
  hpl::ProcessGrids grids;
  const HplCase one{20, 8, {1, world.size()}, RankOrder::kRowMajor, {}};
  HplCase other_method{90, 4, {1, world.size()}, RankOrder::kRowMajor, {}};
  other_method.method.look_ahead = 0;
  const auto& made = grids.of(world, one);
  EXPECT_EQ(&grids.of(world, other_method), &made);
  EXPECT_NE(&grids.of(world, {20, 8, {1, world.size()}, RankOrder::kColumnMajor, {}}), &made);
  const auto& small = grids.of(world, {20, 8, {1, 1}, RankOrder::kRowMajor, {}});
  EXPECT_EQ(&small == &made, world.size() == 1);
  EXPECT_EQ(small.has_value(), world.is_root());
  EXPECT_EQ(&grids.of(world, one), &made) << "grids that are made later move none";
}

}  // namespace
}  // namespace groma::hpcc
