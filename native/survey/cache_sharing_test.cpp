#include <gtest/gtest.h>

#include <string>

#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

TEST(cache_sharing, refuses_sets_that_are_none) {
  for (const std::string sets : {"", "0", "-1", "24k", "18446744073709551615", "24576,2000000000000"}) {
    for (const TestMachine& machine : {TestMachine(), one_core()}) {
      const ProbeRun ran = run_probe("cache_sharing", {"budget=0.01", "sets=" + sets}, machine);
      ASSERT_FALSE(ran.status) << sets;
      EXPECT_EQ(ran.status.error().code, "usage") << sets;
    }
  }
}

TEST(cache_sharing, says_that_time_and_not_memory_is_lacking_for_large_caches_alone) {
  TestMachine machine = many_nodes(2);
  machine.memory = 8192_MiB;  // that is said to be there
  TopologyCache& cache = machine.topology.caches.emplace_back();
  cache.level = 3;
  cache.kind = "unified";
  cache.size = 256_MiB;
  cache.cores = machine.topology.allowed;
  const ProbeRun ran = run_probe("cache_sharing", {"budget=0.01"}, machine);
  EXPECT_EQ(ran.error_code(), "probe.no_time");
  machine.topology.allowed.resize(1);
  EXPECT_EQ(run_probe("cache_sharing", {"budget=0.01"}, machine).error_code(), "probe.needs_cores");
}

}  // namespace
}  // namespace groma::survey
