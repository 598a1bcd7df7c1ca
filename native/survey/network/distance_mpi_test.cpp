#include <gtest/gtest.h>

#include <algorithm>

#include "testing/network_probe_harness.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

TEST(NetworkDistance, TellsEveryRankAtEveryDistance) {
  const auto ranks = static_cast<std::size_t>(mpi::Communicator::world().size());
  const bool is_root = mpi::Communicator::world().is_root();
  const ProbeRun run = run_probe("net_distance", {"bytes=65536", "budget=0.2", "rounds=3"});
  ASSERT_EQ(static_cast<bool>(run.outcome), ranks > 1);
  if (ranks == 1) return;
  if (!is_root) return;
  ASSERT_EQ(run.sink.labels.size(), ranks / 2 * ranks);
  EXPECT_EQ(run.sink.labels[ranks / 2 * ranks - 1], R"({"unit":"s","distance":)" + std::to_string(ranks / 2) +
                                                        R"(,"rank":)" + std::to_string(ranks - 1) +
                                                        R"(,"bytes":65536,"piece":12288})");
  for (const auto& values : run.sink.values) {
    EXPECT_EQ(values.size(), 3U);
    EXPECT_GT(*std::min_element(values.begin(), values.end()), 0.0);
  }
  EXPECT_NE(run.outcome.value().facts.json().text().find("start_skew"), std::string::npos);
}

TEST(NetworkDistance, RefusesMessagesThatDoNotFitInMemoryOnAllRanks) {
  if (mpi::Communicator::world().size() == 1) return;
  const ProbeRun run = run_probe("net_distance", {"bytes=1e18"});
  ASSERT_FALSE(run.outcome);
  EXPECT_EQ(run.outcome.error().code, "memory");
  EXPECT_EQ(run.outcome.error().what,
            "2 messages of 888 PiB do not fit in the 64 MiB that each rank may use");
}

}  // namespace
}  // namespace groma::survey::network
