#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "replay/command.hpp"
#include "replay/exchange.hpp"
#include "replay/triad.hpp"

namespace groma::replay {
namespace {

/// Every rank sends to the next one, two messages of one size and one of another.
std::vector<Traffic> ring(int ranks) {
  std::vector<Traffic> pattern;
  for (int rank = 0; rank < ranks && ranks > 1; ++rank) {
    pattern.push_back({rank, (rank + 1) % ranks, 1000, 2});
    pattern.push_back({rank, (rank + 1) % ranks, 1, 1});
  }
  return pattern;
}

TEST(Replay, DeliversEveryMessageOfThePattern) {
  const auto world = mpi::Communicator::world();
  Exchange exchange(world, ring(world.size()));
  for (std::uint32_t iteration = 1; iteration < 4; ++iteration) {
    exchange.iterate(iteration);
    EXPECT_EQ(exchange.wrong_messages(iteration), 0U);
  }
}

TEST(Replay, CountsMessagesOfAnEarlierIterationAsWrong) {
  const auto world = mpi::Communicator::world();
  Exchange exchange(world, ring(world.size()));
  exchange.iterate(1);
  EXPECT_EQ(exchange.wrong_messages(2), world.size() > 1 ? 3U : 0U);
}

TEST(Replay, CountsMessagesWithOtherContentAsWrong) {
  const auto world = mpi::Communicator::world();
  if (world.size() < 2) GTEST_SKIP() << "nobody sends";
  const int next = (world.rank() + 1) % world.size();
  const int before = (world.rank() + world.size() - 1) % world.size();
  // The sender numbers two messages, the receiver expects two that are the first of their entry.
  Exchange exchange(
      world, {{world.rank(), next, 100, 2}, {before, world.rank(), 100, 1}, {before, world.rank(), 100, 1}});
  exchange.iterate(1);
  EXPECT_EQ(exchange.wrong_messages(1), 1U);
}

TEST(Replay, TriadIsCheckedElementByElement) {
  auto triad = Triad::make(Bytes(1U << 20U));
  ASSERT_TRUE(triad);
  EXPECT_GT(triad.value().wrong_elements(), 0U) << "nothing was computed yet";
  triad.value().iterate();
  EXPECT_EQ(triad.value().wrong_elements(), 0U);
}

struct CommandResult {
  int code;
  std::string out;
  std::string errors;
};

CommandResult run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream errors;
  std::atomic<bool> cancelled = false;
  const auto world = mpi::Communicator::world();
  const int code = run_command(world, parse_options(arguments),
                               {.out = out, .errors = errors, .cancelled = cancelled, .give_up = [] {}});
  return {code, out.str(), errors.str()};
}

TEST(Replay, ReportsWhereRanksAreAndTimesTheIteration) {
  const auto ran = run({"--triad=1MiB", "--repeat=2", "--budget=0.1"});
  EXPECT_EQ(ran.code, kOk) << ran.errors;
  if (!mpi::Communicator::world().is_root()) return;
  EXPECT_EQ(ran.out.find(R"({"event":"run")"), 0U) << ran.out;
  EXPECT_NE(ran.out.find(R"("placement":[{)"), std::string::npos);
  EXPECT_NE(ran.out.find(R"("series":"iteration")"), std::string::npos);
  EXPECT_NE(ran.out.find(R"("name":"wrong results","value":0)"), std::string::npos);
}

TEST(Replay, RefusesAPatternThatNoRankCanRead) {
  for (const std::string path : {"/nowhere/pattern", "/"}) {
    const auto ran = run({"--pattern=" + path});
    EXPECT_EQ(ran.code, kEnvironment);
    if (mpi::Communicator::world().is_root()) {
      EXPECT_NE(ran.errors.find("no rank can read " + path), std::string::npos);
    }
  }
}

TEST(Replay, NeedsExactlyOneKernel) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"--triad=1MiB", "--pattern=x"}}) {
    EXPECT_EQ(run(words).code, kUsage);
  }
}

}  // namespace
}  // namespace groma::replay
