#include "survey/stream_bench.hpp"

#include <gtest/gtest.h>

#include "testing/collecting_sink.hpp"
#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

struct Recorded {
  std::vector<double> bandwidths;
  std::uint32_t discarded;
};

Recorded record(std::uint32_t round, const std::vector<PassTime>& passes) {
  CollectingSink sink;
  sink.begin({Case("B/s")});
  std::vector<std::vector<double>> kept(1);
  Recorder recorder(sink, kept, round);
  record_passes(recorder, 0, Bytes(60), passes);
  return {sink.values[0], recorder.discarded()};
}

TEST(record_passes, counts_each_pass_in_which_a_thread_lost_its_core) {
  const Recorded seen = record(1, {{Seconds(2), false}, {Seconds(1), true}, {Seconds(3), false}});
  EXPECT_EQ(seen.bandwidths, (std::vector{30.0, 20.0}));
  EXPECT_EQ(seen.discarded, 1U);
}

TEST(record_passes, keeps_no_disturbed_pass_after_the_first_round) {
  const Recorded seen = record(1, {{Seconds(2), true}, {Seconds(1), true}});
  EXPECT_TRUE(seen.bandwidths.empty());
  EXPECT_EQ(seen.discarded, 2U);
}

TEST(record_passes, keeps_the_quickest_of_a_first_round_that_was_disturbed_throughout) {
  const Recorded seen = record(0, {{Seconds(3), true}, {Seconds(2), true}, {Seconds(5), true}});
  EXPECT_EQ(seen.bandwidths, (std::vector{30.0}));
  EXPECT_EQ(seen.discarded, 2U);
}

/// Two cores that are one: their threads never run at once, and passes of milliseconds lose it to each other.
TestMachine two_cores_in_one() {
  TestMachine machine;
  const PhysicalCore only = machine.topology.physical(machine.topology.allowed.front());
  machine.topology.cores.clear();
  machine.topology.caches.clear();
  machine.topology.allowed.clear();
  machine.memory = 256_MiB;
  for (std::uint32_t i = 0; i < 2; ++i) {
    machine.topology.cores.push_back({LogicalCore(i), only, i, i, NumaNode(0)});
    machine.topology.allowed.emplace_back(i);
  }
  return machine;
}

std::uint32_t discarded_by(std::string_view probe, std::vector<std::string> assignments) {
  assignments.insert(assignments.end(), {"budget=20", "rounds=4", "memory=67108864"});
  const ProbeRun ran = run_probe(probe, assignments, two_cores_in_one());
  EXPECT_EQ(ran.error_code(), "") << probe;
  std::uint32_t discarded = 0;
  for (const RoundReport& round : ran.sink.rounds) discarded += round.discarded;
  return discarded;
}

TEST(memory_probes, report_how_many_samples_they_discarded) {
  EXPECT_GT(discarded_by("memory_bandwidth", {"kernels=read"}), 0U);
  EXPECT_GT(discarded_by("group_bandwidth", {}), 0U);
  EXPECT_GT(discarded_by("loaded_latency", {"loads=50000", "paces=1"}), 0U);
}

}  // namespace
}  // namespace groma::survey
