// The core-to-core and the NUMA probes as a whole.
#include <gtest/gtest.h>

#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

/// Smallest blocks and two rounds; the budget is generous because a busy machine must not fail a test.
std::vector<std::string> small() {
  return {"most_block=4194304", "rounds=2", "budget=20", "over=nodes"};
}

class NumaProbe : public testing::TestWithParam<const char*> {};

TEST_P(NumaProbe, SamplesEveryCaseOnTwoNodes) {
  const ProbeRun ran = run_probe(GetParam(), small(), many_nodes(2));
  ASSERT_EQ(ran.error_code(), "");
  EXPECT_TRUE(ran.every_case_has_a_sample());
  EXPECT_TRUE(ran.every_sample_is_positive());
  EXPECT_EQ(ran.cases_with("\"over\":\"numa\""), ran.sink.labels.size());
  EXPECT_EQ(ran.cases_with("\"block_bytes\":"), ran.sink.labels.size());
}

TEST_P(NumaProbe, MeasuresNothingMoreOnceItIsCancelled) {
  TestMachine machine = many_nodes(2);
  machine.cancelled = true;
  const ProbeRun ran = run_probe(GetParam(), small(), machine);
  EXPECT_EQ(ran.error_code(), "");
  EXPECT_EQ(ran.sink.ended, EndReason::kInterrupted);
  EXPECT_TRUE(std::ranges::all_of(ran.sink.values, [](const auto& values) { return values.empty(); }));
}

TEST_P(NumaProbe, SaysThatMemoryIsTooShort) {
  TestMachine machine = many_nodes(2);
  machine.memory = 2_MiB;
  EXPECT_EQ(run_probe(GetParam(), small(), machine).error_code(), "probe.no_memory");
}

TEST_P(NumaProbe, RefusesPlacesOfOtherKinds) {
  const ProbeRun ran = run_probe(GetParam(), {"over=threads"}, many_nodes(2));
  EXPECT_EQ(ran.error_code(), "usage");
}

INSTANTIATE_TEST_SUITE_P(All, NumaProbe,
                         testing::Values("numa_read", "numa_lockstep", "numa_allocation", "numa_ping_back"),
                         [](const auto& one) { return std::string(one.param); });

TEST(NumaRead, TimesEachPairAndOwnBlocksInFourWays) {
  const ProbeRun ran = run_probe("numa_read", small(), many_nodes(3));
  EXPECT_EQ(ran.sink.labels.size(), 3U * 3U * 4U);
  for (const char* const name : {"sequential_first", "sequential_again", "random", "reallocated"}) {
    EXPECT_EQ(ran.cases_with(name), 9U) << name;
  }
}

TEST(NumaRead, RunsOverCoresWhereThereIsOneNode) {
  const ProbeRun ran = run_probe("numa_read", small(), one_core());
  EXPECT_EQ(ran.error_code(), "");
  EXPECT_EQ(ran.cases_with("\"over\":\"cores\""), 4U);
}

TEST(NumaLockstep, ReadsEveryBlockAtEveryPlaceInTurn) {
  const ProbeRun ran = run_probe("numa_lockstep", small(), many_nodes(3));
  EXPECT_EQ(ran.sink.labels.size(), 9U);
  EXPECT_EQ(ran.cases_with("\"owner\":0,\"reader\":2,\"step\":1"), 1U);
}

TEST(NumaAllocation, TimesEachPlaceWithTheOthersAndAlone) {
  const ProbeRun ran = run_probe("numa_allocation", small(), many_nodes(2));
  EXPECT_EQ(ran.cases_with("\"measure\":\"first_touch\",\"over\""), 2U * 2U * 2U);
  EXPECT_EQ(ran.cases_with("\"together\":false"), 4U * 2U * 2U);
}

TEST(NumaPingBack, HasFiveStepsInBothDirections) {
  const ProbeRun ran = run_probe("numa_ping_back", small(), many_nodes(2));
  EXPECT_EQ(ran.sink.labels.size(), 2U * 5U);
  EXPECT_EQ(run_probe("numa_ping_back", small(), one_core()).error_code(), "probe.needs_cores");
}

TEST(CoreToCore, SamplesEveryPairOfCoresByBothOperations) {
  const TestMachine here;
  if (here.topology.allowed.size() < 2) GTEST_SKIP() << "needs two cores";
  const ProbeRun ran = run_probe("core_to_core", {"rounds=2", "round_trips=20", "budget=20"}, here);
  ASSERT_EQ(ran.error_code(), "");
  EXPECT_TRUE(ran.every_case_has_a_sample());
  EXPECT_TRUE(ran.every_sample_is_positive());
  EXPECT_EQ(ran.cases_with("compare_exchange"), ran.cases_with("store"));
}

TEST(CoreToCore, SaysThatItNeedsTwoCores) {
  EXPECT_EQ(run_probe("core_to_core", {}, one_core()).error_code(), "probe.needs_cores");
}

}  // namespace
}  // namespace groma::survey
