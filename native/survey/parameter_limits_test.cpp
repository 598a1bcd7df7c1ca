// Whatever number a parameter is given, a probe measures with it or refuses it by name.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

constexpr const char* kLargest = "18446744073709551615";

ProbeRun run_with(std::string_view probe, const std::string& assignment) {
  TestMachine machine;
  machine.memory = 64_MiB;
  return run_probe(probe, {"budget=0.01", "rounds=1", assignment}, machine);
}

TEST(ParameterLimits, SetsThatNoMemoryHoldsAreRefused) {
  for (const std::string name : {"inner=", "outer="}) {
    for (const std::string size : {kLargest, "9223372036854775808", "4611686018427387904", "1e300"}) {
      EXPECT_EQ(run_with("cache_line", name + size).error_code(), "probe.no_memory") << name << size;
    }
  }
}

TEST(ParameterLimits, CurvesEndWhereTheMemoryDoes) {
  for (const std::string size : {kLargest, "9223372036854775808"}) {
    const ProbeRun latency = run_with("load_latency", "max_size=" + size);
    EXPECT_TRUE(latency.status) << latency.error_code();
    EXPECT_EQ(latency.cases_with("\"size_bytes\":67108864"), 0U) << size;
    EXPECT_TRUE(run_with("page_sets", "max_size=" + size).status) << size;
  }
}

TEST(ParameterLimits, SamplesThatCannotEndAreRefused) {
  for (const std::string count : {kLargest, "4294967296"}) {
    TestMachine machine;
    if (machine.topology.allowed.size() > 1) {
      EXPECT_EQ(run_with("core_to_core", "round_trips=" + count).error_code(), "usage");
    }
    EXPECT_EQ(run_with("loaded_latency", "loads=" + count).error_code(), "usage");
  }
  for (const std::string pace : {"1e-10", "1e-300"}) {
    EXPECT_EQ(run_with("loaded_latency", "paces=1," + pace).error_code(), "usage") << pace;
  }
}

TEST(ParameterLimits, ValuesThatWouldBeReplacedAreRefused) {
  EXPECT_EQ(run_with("cache_line", "inner=1").error_code(), "usage");
  EXPECT_EQ(run_with("cache_line", "outer=4095").error_code(), "usage");
  EXPECT_EQ(run_with("memory_bandwidth", "threads=100000").error_code(), "usage");
}

TEST(ParameterLimits, PassesThatWouldTimeTheirOwnLoopAreRefused) {
  for (const std::string slice : {"0", "1", "1024", "65535"}) {
    EXPECT_EQ(run_with("memory_bandwidth", "slice=" + slice).error_code(), "usage") << slice;
    if (TestMachine().topology.allowed.size() < 2) continue;
    EXPECT_EQ(run_with("group_bandwidth", "slice=" + slice).error_code(), "usage") << slice;
    EXPECT_EQ(run_with("memory_contention", "slice=" + slice).error_code(), "usage") << slice;
  }
}

TEST(ParameterLimits, BlocksThatAreTooSmallAreNoLackOfMemory) {
  for (const std::string probe : {"numa_allocation", "numa_read", "numa_lockstep", "numa_ping_back"}) {
    EXPECT_EQ(run_with(probe, "most_block=1").error_code(), "usage") << probe;
  }
}

TEST(ParameterLimits, SetsOfLessThanAHugePageAreMeasured) {
  for (const std::string outer : {"4096", "524288"}) {
    TestMachine machine;
    const ProbeRun ran =
        run_probe("cache_line", {"budget=0.01", "rounds=1", "inner=4096", "outer=" + outer}, machine);
    EXPECT_TRUE(ran.status) << ran.error_code();
    EXPECT_GT(ran.cases_with("\"span_bytes\":" + outer), 0U) << outer;
  }
}

TEST(ParameterLimits, CurvesThatAreTooShortAreNoLackOfMemory) {
  for (const std::string size : {"0", "1", "16383"}) {
    EXPECT_EQ(run_with("page_sets", "max_size=" + size).error_code(), "usage") << size;
  }
  EXPECT_TRUE(run_with("page_sets", "max_size=16384").status);
}

TEST(ParameterLimits, NoPairsAreNoLackOfCores) {
  TestMachine machine;
  if (machine.topology.allowed.size() < 2) GTEST_SKIP() << "needs two cores";
  const ProbeRun ran = run_probe("memory_contention", {"all_pairs=0", "sampled_pairs=0"}, machine);
  EXPECT_EQ(ran.error_code(), "usage");
}

TEST(ParameterLimits, CurvesThatTheMemoryCutsShortNameWhatWasAsked) {
  TestMachine machine;
  machine.memory = Bytes(std::uint64_t{64} << 30U);
  const ProbeRun ran = run_probe("load_latency", {"budget=0.01", "max_size=109951162777600"}, machine);
  ASSERT_EQ(ran.error_code(), "probe.no_time");
  EXPECT_NE(ran.status.error().what.find("the memory allows less than 104857600 MiB"), std::string::npos)
      << ran.status.error().what;
}

TEST(ParameterLimits, NumbersOfCoresDoNotWrapAround) {
  for (const std::string core : {"4294967296", "1e300"}) {
    EXPECT_EQ(run_with("tlb_reach", "core=" + core).error_code(), "usage") << core;
  }
}

}  // namespace
}  // namespace groma::survey
