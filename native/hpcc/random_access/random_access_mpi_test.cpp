#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "hpcc/benchmark.hpp"
#include "testing/collecting_sink.hpp"

namespace groma::hpcc {
namespace {

/// The benchmark as the suite runs it, on small tables; by the algorithm of that name and with so many
/// threads.
struct Case {
  std::string algorithm;
  std::uint32_t threads;
};

class RandomAccessRun : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    plan.sizes.random_access = 1U << 10U;
    plan.sizes.mpi_random_access = 1U << 11U;
    plan.threads = GetParam().threads;
    plan.random_access = GetParam().algorithm;
    plan.effort.repetitions = 3;
  }
  Result<Outcome> run() {
    const Context context{
        {world, clock, cancelled, sink, plan.effort.repetitions, clock.now() + Seconds(60.0)}, plan};
    return Benchmarks::find("random_access")->run(context);
  }

  const mpi::Communicator world = mpi::Communicator::world();
  const SystemClock clock;
  std::atomic<bool> cancelled = false;
  Plan plan;
  CollectingSink sink;
};

std::string value_of(const Outcome& outcome, std::string_view key) {
  const auto found = std::ranges::find(outcome.summary, key, &SummaryEntry::key);
  return found == outcome.summary.end() ? "" : found->value;
}

TEST_P(RandomAccessRun, UpdatesEveryWordFourTimesWithoutAWrongOne) {
  const auto outcome = run();
  ASSERT_TRUE(outcome);
  if (!world.is_root()) return;
  for (const Check& check : outcome.value().checks) EXPECT_TRUE(check.passed()) << check.name;
  for (const std::string infix : {"", "_LCG"}) {
    const std::string key = "MPIRandomAccess" + infix + "_";
    EXPECT_EQ(value_of(outcome.value(), key + "N"), "2048");
    EXPECT_EQ(value_of(outcome.value(), key + "ExeUpdates"), "8192");
    EXPECT_EQ(value_of(outcome.value(), key + "Errors"), "0");
    EXPECT_EQ(value_of(outcome.value(), key + "TimeBound"), "-1");
  }
}

TEST_P(RandomAccessRun, TellsAllKeysOfTheSuite) {
  const auto outcome = run();
  ASSERT_TRUE(outcome);
  if (!world.is_root()) return;
  for (const std::string infix : {"", "_LCG"}) {
    for (const std::string key : {"time", "CheckTime", "ErrorsFraction", "GUPs", "Algorithm"}) {
      EXPECT_NE(value_of(outcome.value(), "MPIRandomAccess" + infix + "_" + key), "") << key;
    }
    EXPECT_EQ(value_of(outcome.value(), "RandomAccess" + infix + "_N"), "1024");
    EXPECT_GT(std::stod(value_of(outcome.value(), "StarRandomAccess" + infix + "_GUPs")), 0.0);
    EXPECT_GT(std::stod(value_of(outcome.value(), "SingleRandomAccess" + infix + "_GUPs")), 0.0);
  }
  EXPECT_EQ(outcome.value().summary.size(), 24U);
}

TEST_P(RandomAccessRun, KeepsTheSamplesOfOneWholeRun) {
  ASSERT_TRUE(run());
  if (!world.is_root()) return;
  // For each sequence one series of all ranks, one of every rank, one of the rank that ran alone.
  ASSERT_EQ(sink.values.size(), 2 * (static_cast<std::size_t>(world.size()) + 2));
  for (const auto& samples : sink.values) EXPECT_EQ(samples.size(), plan.effort.repetitions);
}

TEST_P(RandomAccessRun, HasARateInEachOfMoreRepetitionsThanUpdates) {
  plan.ranks = world.size();
  plan.sizes.random_access = 1;
  plan.sizes.mpi_random_access = std::bit_ceil(static_cast<std::uint64_t>(world.size()) * plan.threads);
  plan.effort.repetitions = 50;
  const auto outcome = run();
  ASSERT_TRUE(outcome);
  if (!world.is_root()) return;
  for (const auto& samples : sink.values) {
    EXPECT_EQ(samples.size(), 4U);
    EXPECT_GT(std::ranges::min(samples), 0.0);
  }
  const std::string updates = std::to_string(4 * plan.sizes.mpi_random_access);
  EXPECT_EQ(value_of(outcome.value(), "MPIRandomAccess_ExeUpdates"), updates);
}

/// More threads than the look-ahead of a rank is enough for.
using RandomAccessOfManyThreads = RandomAccessRun;

TEST_P(RandomAccessOfManyThreads, IsThatOfThreadsThatHaveLookAhead) {
  if (world.size() > 1) GTEST_SKIP() << "as on one rank, with many more queues";
  plan.sizes.random_access = plan.sizes.mpi_random_access = 64;
  plan.effort.repetitions = 1;
  const auto outcome = run();
  ASSERT_TRUE(outcome);
  for (const Check& check : outcome.value().checks) EXPECT_TRUE(check.passed()) << check.name;
  EXPECT_NE(outcome.value().report.find("pending, 256 of 342 threads of a rank\n"), std::string::npos)
      << outcome.value().report;
}

INSTANTIATE_TEST_SUITE_P(Beyond, RandomAccessOfManyThreads, ::testing::Values(Case{"", 342}));

INSTANTIATE_TEST_SUITE_P(Algorithms, RandomAccessRun,
                         ::testing::Values(Case{"", 1}, Case{"direct", 1}, Case{"", 2}));

TEST(RandomAccess, RefusesAnUnknownAlgorithmOnEveryRank) {
  const mpi::Communicator world = mpi::Communicator::world();
  const SystemClock clock;
  const std::atomic<bool> cancelled = false;
  Plan plan;
  plan.sizes.random_access = plan.sizes.mpi_random_access = 64;
  plan.random_access = "guess";
  CollectingSink sink;
  const auto outcome =
      Benchmarks::find("random_access")
          ->run({{world, clock, cancelled, sink, plan.effort.repetitions, clock.now()}, plan});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "usage");
}

}  // namespace
}  // namespace groma::hpcc
