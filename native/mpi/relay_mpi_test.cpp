#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "mpi/relay.hpp"

namespace groma::mpi {
namespace {

/// Every pair, those with the last rank twice, and all ranks together.
std::vector<Turn> turns_of(int ranks) {
  std::vector<Turn> turns;
  for (int first = 0; first < ranks; ++first) {
    for (int second = 0; second < ranks; ++second) {
      if (first != second) turns.push_back({first, second});
    }
  }
  turns.emplace_back();
  for (int rank = ranks - 1; rank >= 0; --rank) turns.back().push_back(rank);
  return turns;
}

TEST(Relay, GivesEachMemberItsTurns) {
  const Communicator world = Communicator::world();
  const Relay relay(world);
  const std::vector<Turn> turns = turns_of(world.size());
  std::vector<std::size_t> mine;
  relay.run(turns, [&](std::size_t turn) { mine.push_back(turn); });
  std::vector<std::size_t> expected;
  for (std::size_t at = 0; at < turns.size(); ++at) {
    if (std::find(turns[at].begin(), turns[at].end(), world.rank()) != turns[at].end())
      expected.push_back(at);
  }
  EXPECT_EQ(mine, expected);
}

/// The ranks of a test lie on one machine, so that they read one clock.
TEST(Relay, BeginsATurnOnlyWhenTheOneBeforeIsOver) {
  const Communicator world = Communicator::world();
  const Relay relay(world);
  const std::vector<Turn> turns = turns_of(world.size());
  std::vector<double> begins(turns.size(), 1e300);
  std::vector<double> ends(turns.size(), 0.0);
  relay.run(turns, [&](std::size_t turn) {
    begins[turn] = SystemClock().now().value();
    relay.meet(turns[turn]);
    if (world.rank() % 2 == 1) std::this_thread::sleep_for(std::chrono::microseconds(200));
    ends[turn] = SystemClock().now().value();
  });
  world.reduce_to_root(std::span(begins), Reduction::kMin);
  world.reduce_to_root(std::span(ends), Reduction::kMax);
  if (!world.is_root()) return;
  for (std::size_t at = 1; at < turns.size(); ++at) EXPECT_LE(ends[at - 1], begins[at]) << "turn " << at;
}

}  // namespace
}  // namespace groma::mpi
