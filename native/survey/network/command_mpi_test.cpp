// What several probes of one call are asked before the first of them runs.
#include <gtest/gtest.h>

#include <sstream>

#include "base/exit_code.hpp"
#include "survey/network/command.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

TEST(NetworkCalls, AreRefusedBeforeAnyProbeRuns) {
  const mpi::Communicator world = mpi::Communicator::world();
  const std::vector<std::vector<std::string>> all = {
      {"net_pairs", "rounds=1", "net_curve", "layers=near:0-99"},
      {"net_pairs", "rounds=1", "net_loggp", "layers=near:0-0"},
      {"net_pairs", "rounds=1", "net_pairs", "bytes=1e12"},
      {"net_pairs", "rounds=1", "net_receiver", "senders=0"},
  };
  for (const auto& words : all) {
    std::ostringstream out;
    EXPECT_EQ(run_calls(world, parse_calls(words), out), kUsage) << words[2];
    EXPECT_EQ(out.str().find("begin"), std::string::npos) << out.str();
    EXPECT_EQ(out.str().find("failed") != std::string::npos, world.is_root());
  }
}

}  // namespace
}  // namespace groma::survey::network
