// A core that is named is one that exists and may be used.
#include <gtest/gtest.h>

#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

ProbeRun run_on(const TestMachine& machine, const std::string& core) {
  return run_probe("load_latency", {"budget=0.01", "rounds=1", "max_size=8192", "core=" + core}, machine);
}

TEST(chosen_core, measures_on_the_core_that_is_named) {
  TestMachine machine;
  const LogicalCore last = machine.topology.allowed.back();
  EXPECT_EQ(run_on(machine, std::to_string(last.number())).error_code(), "");
  EXPECT_EQ(run_on(machine, "-1").error_code(), "");
}

TEST(chosen_core, refuses_a_core_that_does_not_exist) {
  EXPECT_EQ(run_on(TestMachine(), "99999").error_code(), "usage");
}

/// The kernel lets a process leave its affinity mask; whoever set it did not mean that.
TEST(chosen_core, refuses_a_core_that_may_not_be_used) {
  TestMachine machine;
  if (machine.topology.allowed.size() < 2) GTEST_SKIP() << "needs two cores";
  const LogicalCore last = machine.topology.allowed.back();
  machine.topology.allowed.pop_back();
  const ProbeRun ran = run_on(machine, std::to_string(last.number()));
  EXPECT_EQ(ran.error_code(), "usage");
  EXPECT_NE(ran.status.error().what.find("may not be used"), std::string::npos) << ran.status.error().what;
}

}  // namespace
}  // namespace groma::survey
