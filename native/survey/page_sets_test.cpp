#include <gtest/gtest.h>

#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

TEST(page_sets, samples_every_size_with_other_and_with_the_same_pages) {
  // Many rounds: one in which the core was lost has no sample, and beside other work most are lost.
  const ProbeRun ran = run_probe("page_sets", {"budget=5", "rounds=160", "max_size=65536"}, TestMachine());
  EXPECT_TRUE(ran.status);
  EXPECT_TRUE(ran.every_case_has_a_sample());
  EXPECT_EQ(ran.cases_with("\"set\":\"other\""), 9U) << "four sizes per octave from 16 to 64 KiB";
  EXPECT_EQ(ran.cases_with("\"set\":\"same\""), 9U);
}

TEST(page_sets, stays_within_little_memory_and_says_when_there_is_none) {
  TestMachine machine;
  machine.memory = 1_MiB;
  EXPECT_TRUE(run_probe("page_sets", {"budget=0.01"}, machine).status);
  machine.memory = 64_KiB;
  const ProbeRun refused = run_probe("page_sets", {"budget=0.01"}, machine);
  ASSERT_FALSE(refused.status);
  EXPECT_EQ(refused.status.error().code, "probe.no_memory");
}

TEST(page_sets, refuses_a_size_that_takes_many_times_the_budget) {
  TestMachine machine;
  machine.memory = 65536_MiB;
  const ProbeRun refused = run_probe("page_sets", {"budget=0.8", "max_size=8589934592"}, machine);
  EXPECT_EQ(refused.error_code(), "probe.no_time");
}

}  // namespace
}  // namespace groma::survey
