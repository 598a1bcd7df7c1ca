// The three memory probes as a whole: on the cores of this machine, on one core, and on a machine with more
// cores than all pairs can be measured for (its logical cores lie on the cores that there are).
#include <gtest/gtest.h>

#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

ProbeRun run_briefly(std::string_view name, std::vector<std::string> assignments,
                     const TestMachine& machine) {
  assignments.emplace_back("budget=0.01");
  assignments.emplace_back("memory=" + std::to_string(machine.memory.value() / 4));
  return run_probe(name, assignments, machine);
}

/// Logical cores that stand in turn for the cores of this machine.
TestMachine many_cores(std::uint32_t count) {
  TestMachine machine;
  const Topology here = machine.topology;
  machine.topology.cores.clear();
  machine.topology.caches.clear();
  machine.topology.allowed.clear();
  machine.memory = 32_MiB * count;
  for (std::uint32_t i = 0; i < count; ++i) {
    TopologyCore core;
    core.logical = LogicalCore(i);
    core.physical = here.physical(here.allowed[i % here.allowed.size()]);
    core.core = i;
    core.package = i / 10;
    machine.topology.cores.push_back(core);
    machine.topology.allowed.push_back(core.logical);
  }
  return machine;
}

std::string said(const Status& status) {
  return status ? "" : status.error().code;
}

TEST(memory_bandwidth, samples_every_kernel_on_one_core_and_on_all) {
  const TestMachine here;
  const ProbeRun ran = run_briefly("memory_bandwidth", {}, here);
  EXPECT_EQ(said(ran.status), "");
  EXPECT_TRUE(ran.every_case_has_a_sample());
  const std::size_t counts = here.topology.allowed.size() > 1 ? 2 : 1;
  EXPECT_EQ(ran.cases_with("\"kernel\":\"write\""), counts);
  EXPECT_GE(ran.sink.labels.size(), 6 * counts);
}

TEST(memory_bandwidth, measures_few_kernels_between_one_and_all_threads) {
  const ProbeRun ran = run_briefly("memory_bandwidth", {"kernels=read,copy"}, many_cores(5));
  EXPECT_EQ(said(ran.status), "");
  EXPECT_EQ(ran.cases_with("\"kernel\":\"read\""), 4U);
  EXPECT_EQ(ran.cases_with("\"kernel\":\"copy\""), 2U);
}

TEST(memory_bandwidth, names_what_a_user_mistyped) {
  EXPECT_EQ(said(run_briefly("memory_bandwidth", {"kernels=read,tetrad"}, {}).status), "usage");
  EXPECT_EQ(said(run_briefly("memory_bandwidth", {"isa=abacus"}, {}).status), "usage");
}

TEST(memory_bandwidth, wants_memory_for_every_core) {
  TestMachine machine = many_cores(8);
  machine.memory = 15_MiB * 8;
  EXPECT_EQ(said(run_briefly("memory_bandwidth", {}, machine).status), "probe.no_memory");
}

TEST(memory_probes, refuse_to_call_a_figure_of_the_cache_one_of_the_memory) {
  for (const char* const probe : {"memory_bandwidth", "memory_contention", "loaded_latency"}) {
    const ProbeRun ran = run_probe(probe, {"budget=0.01"}, many_cores(3));
    ASSERT_EQ(said(ran.status), "probe.no_memory") << probe;
    EXPECT_NE(ran.status.error().what.find("384 MiB of available memory"), std::string::npos)
        << ran.status.error().what;
  }
}

TEST(memory_bandwidth, stops_when_it_is_cancelled) {
  TestMachine machine;
  machine.cancelled = true;
  EXPECT_EQ(run_briefly("memory_bandwidth", {}, machine).sink.ended, EndReason::kInterrupted);
}

TEST(memory_contention, samples_both_directions_of_every_pair) {
  const ProbeRun ran = run_briefly("memory_contention", {}, many_cores(4));
  EXPECT_EQ(said(ran.status), "");
  EXPECT_TRUE(ran.every_case_has_a_sample());
  EXPECT_EQ(ran.cases_with("\"state\":\"alone\""), 12U);
  EXPECT_EQ(ran.cases_with("\"state\":\"together\""), 12U);
}

TEST(memory_contention, takes_a_sample_of_the_pairs_of_a_large_machine) {
  const ProbeRun ran = run_briefly("memory_contention", {"sampled_pairs=20", "slice=262144"}, many_cores(20));
  EXPECT_EQ(said(ran.status), "");
  EXPECT_EQ(ran.cases_with("\"state\":\"together\""), 40U);
  EXPECT_GT(ran.cases_with("same NUMA node"), 0U);
}

TEST(memory_contention, makes_no_sense_on_one_core_and_says_so) {
  EXPECT_EQ(said(run_briefly("memory_contention", {}, one_core()).status), "probe.needs_cores");
}

TEST(group_bandwidth, samples_every_number_of_cores_of_every_group) {
  const ProbeRun ran = run_briefly("group_bandwidth", {"slice=262144"}, many_cores(20));
  EXPECT_EQ(said(ran.status), "");
  EXPECT_TRUE(ran.every_case_has_a_sample());
  EXPECT_EQ(ran.cases_with("\"kind\":\"package\""), 2U * 9) << "1 to 8 and 10 cores of each package";
  EXPECT_EQ(ran.cases_with("\"threads\":20"), 1U);
}

TEST(group_bandwidth, makes_no_sense_on_one_core_and_says_so) {
  EXPECT_EQ(said(run_briefly("group_bandwidth", {}, one_core()).status), "probe.needs_cores");
}

TEST(loaded_latency, has_an_idle_point_and_three_mixes_at_seven_paces) {
  const ProbeRun ran = run_briefly("loaded_latency", {}, many_cores(3));
  EXPECT_EQ(said(ran.status), "");
  EXPECT_TRUE(ran.every_case_has_a_sample());
  EXPECT_EQ(ran.cases_with("\"quantity\":\"latency\""), 22U);
  EXPECT_EQ(ran.cases_with("\"quantity\":\"bandwidth\""), 22U);
}

TEST(loaded_latency, takes_the_paces_asked_for) {
  EXPECT_EQ(run_briefly("loaded_latency", {"paces=0.5,1"}, many_cores(2)).sink.labels.size(),
            2U * (1 + 3 * 2));
  for (const char* const wrong : {"paces=0.5,,1", "paces=0", "paces=2", "paces=fast"}) {
    EXPECT_EQ(said(run_briefly("loaded_latency", {wrong}, one_core()).status), "usage") << wrong;
  }
}

TEST(loaded_latency, on_one_core_has_the_idle_point_only) {
  const ProbeRun ran = run_briefly("loaded_latency", {}, one_core());
  EXPECT_EQ(said(ran.status), "");
  ASSERT_EQ(ran.sink.values.size(), 2U);
  EXPECT_GT(ran.sink.values[0].front(), 0.0);
  EXPECT_EQ(ran.sink.values[1].front(), 0.0);
}

TEST(loaded_latency, moves_bytes_while_it_chases) {
  if (TestMachine().topology.allowed.size() < 2) GTEST_SKIP() << "needs two cores";
  const ProbeRun ran = run_briefly("loaded_latency", {}, many_cores(2));
  double moved = 0.0;
  for (std::size_t which = 3; which < ran.sink.values.size(); which += 2)
    moved += ran.sink.values[which].front();
  EXPECT_GT(moved, 0.0);
}

}  // namespace
}  // namespace groma::survey
