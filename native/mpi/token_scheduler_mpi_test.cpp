#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "mpi/token_scheduler.hpp"

namespace groma::mpi {
namespace {

/// Every pair, those with the last rank twice, and all ranks together.
std::vector<RankGroup> groups_of(int ranks) {
  std::vector<RankGroup> groups;
  for (int first = 0; first < ranks; ++first) {
    for (int second = 0; second < ranks; ++second) {
      if (first != second) groups.push_back({first, second});
    }
  }
  groups.emplace_back();
  for (int rank = ranks - 1; rank >= 0; --rank) groups.back().push_back(rank);
  return groups;
}

TEST(TokenScheduler, RunsEachGroupOnItsMembers) {
  const Communicator world = Communicator::world();
  const TokenScheduler scheduler(world);
  const std::vector<RankGroup> groups = groups_of(world.size());
  std::vector<std::size_t> mine;
  scheduler.run(groups, [&](std::size_t group) { mine.push_back(group); });
  std::vector<std::size_t> expected;
  for (std::size_t at = 0; at < groups.size(); ++at) {
    if (std::find(groups[at].begin(), groups[at].end(), world.rank()) != groups[at].end())
      expected.push_back(at);
  }
  EXPECT_EQ(mine, expected);
}

/// The ranks of a test lie on one machine, so that they read one clock.
TEST(TokenScheduler, StartsAGroupOnlyWhenThePreviousOneIsDone) {
  const Communicator world = Communicator::world();
  const TokenScheduler scheduler(world);
  const std::vector<RankGroup> groups = groups_of(world.size());
  std::vector<double> begins(groups.size(), 1e300);
  std::vector<double> ends(groups.size(), 0.0);
  scheduler.run(groups, [&](std::size_t group) {
    begins[group] = SystemClock().now().value();
    scheduler.synchronize(groups[group]);
    if (world.rank() % 2 == 1) std::this_thread::sleep_for(std::chrono::microseconds(200));
    ends[group] = SystemClock().now().value();
  });
  world.reduce_to_root(std::span(begins), Reduction::kMin);
  world.reduce_to_root(std::span(ends), Reduction::kMax);
  if (!world.is_root()) return;
  for (std::size_t at = 1; at < groups.size(); ++at) EXPECT_LE(ends[at - 1], begins[at]) << "group " << at;
}

}  // namespace
}  // namespace groma::mpi
