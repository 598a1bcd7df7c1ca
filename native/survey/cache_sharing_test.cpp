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

}  // namespace
}  // namespace groma::survey
