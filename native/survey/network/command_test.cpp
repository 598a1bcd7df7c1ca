#include "survey/network/command.hpp"

#include <gtest/gtest.h>

#include "base/exit_code.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

TEST(NetworkCalls, AreProbesWithTheirOwnParameters) {
  const auto calls = parse_calls({"net_distance", "bytes=4096", "net_distance", "seed=7"});
  ASSERT_TRUE(calls);
  ASSERT_EQ(calls.value().size(), 2U);
  EXPECT_EQ(calls.value()[0].parameters.count("bytes"), 4096U);
  EXPECT_EQ(calls.value()[1].parameters.count("bytes"), std::uint64_t{32} << 20U);
  EXPECT_EQ(calls.value()[1].parameters.count("seed"), 7U);
}

TEST(NetworkCalls, AreRefusedWithTheNameThatIsWrong) {
  EXPECT_EQ(parse_calls({}).error().what, "no network probe is named");
  EXPECT_EQ(parse_calls({"distance"}).error().what, "no network probe is called 'distance'");
  EXPECT_EQ(parse_calls({"net_distance", "size=3"}).error().what,
            "probe net_distance has no parameter 'size'");
}

TEST(NetworkCalls, EndWithTheCodeThatTheErrorMeans) {
  EXPECT_EQ(code_of({"usage", "", ""}), kUsage);
  EXPECT_EQ(code_of({"memory", "", ""}), kUsage);
  EXPECT_EQ(code_of({"validation", "", ""}), kInvalid);
  EXPECT_EQ(code_of({"environment", "", ""}), kEnvironment);
}

/// Holds for every network probe.
TEST(NetworkProbes, ParseTheirOwnDefaultsAtEveryDepth) {
  for (const Probe* probe : Probes::all()) {
    for (const char* depth : {"quick", "standard", "thorough"}) {
      EXPECT_TRUE(Parameters::parse(probe->info, {std::string("depth=") + depth})) << probe->info.name;
    }
  }
}

}  // namespace
}  // namespace groma::survey::network
