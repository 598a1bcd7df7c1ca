#include <gtest/gtest.h>

#include <array>

#include "base/clock.hpp"
#include "job/repetition.hpp"
#include "testing/collecting_sink.hpp"
#include "testing/fakes.hpp"
#include "testing/one_thread.hpp"
#include "testing/yielding_mpi.hpp"

ALL_ON_ONE_THREAD;

namespace groma::job {
namespace {

TEST(TimeTogether, LeavesTheCoreToRanksThatHaveNotBegun) {
  const auto world = mpi::Communicator::world();
  const std::uint64_t before = test::blocking_barriers();
  int runs = 0;
  time_together(world, SystemClock(), [&] { ++runs; });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(test::blocking_barriers(), before);
}

TEST(TimeTogether, IsThatOfTheSlowestRank) {
  const auto world = mpi::Communicator::world();
  fake::ManualClock clock;
  const Seconds own(static_cast<double>(world.rank() + 1));
  const Seconds time = time_together(world, clock, [&] { clock.time = clock.time + own; });
  EXPECT_EQ(time, Seconds(static_cast<double>(world.size())));
}

/// How many repetitions of these values ran, over and over, each a second long, and why they ended. On the
/// root.
struct Ended {
  int runs = 0;
  EndReason reason = EndReason::kInterrupted;
};

Ended repeated(const std::function<double(int run, int rank)>& value, Seconds budget,
               std::uint32_t most = kMostRepetitions) {
  const auto world = mpi::Communicator::world();
  const std::atomic<bool> cancelled = false;
  const std::vector<Series> series = {{"test", "star", "s"}};
  fake::ManualClock clock;
  CollectingSink sink;
  Ended ended;
  Measuring measuring{world, clock, cancelled, sink, 5, budget};
  measuring.most = most;
  repeat(measuring, series, [&] {
    clock.time = clock.time + Seconds(1.0);
    return std::vector<double>{value(ended.runs++, world.rank())};
  });
  ended.reason = sink.ended;
  return ended;
}

bool is_root() {
  return mpi::Communicator::world().is_root();
}

TEST(Repeat, EndsWithItsBudgetWhereValuesAreScattered) {
  const std::array<double, 5> scattered = {1.0, 0.6, 1.4, 0.8, 1.2};
  const Ended ended =
      repeated([&](int run, int) { return scattered.at(static_cast<std::size_t>(run % 5)); }, Seconds(12.0));
  EXPECT_EQ(ended.runs, 12);
  if (is_root()) {
    EXPECT_EQ(ended.reason, EndReason::kBudget);
  }
}

TEST(Repeat, EndsOnceTheMedianOfTheMeansOverTheRanksHasSettled) {
  const int ranks = mpi::Communicator::world().size();
  const auto exchanged = [&](int run, int rank) {
    return ranks > 1 && rank < 2 ? ((run + rank) % 2 == 0 ? 2.0 : 1.0) : 1.0;
  };
  const Ended ended = repeated(exchanged, Seconds(50.0));
  EXPECT_EQ(ended.runs, 6);
  if (is_root()) {
    EXPECT_EQ(ended.reason, EndReason::kStable);
  }
}

TEST(Repeat, EndsWithItsRoundsWhereNoMoreAreWanted) {
  const Ended ended = repeated([](int, int) { return 1.0; }, Seconds(50.0), 5);
  EXPECT_EQ(ended.runs, 5);
  if (is_root()) {
    EXPECT_EQ(ended.reason, EndReason::kRounds);
  }
}

TEST(Repeat, EndsSoonWhicheverRankIsCancelled) {
  const auto world = mpi::Communicator::world();
  const SystemClock clock;
  const std::vector<Series> series = {{"test", "mpi", "s"}};
  for (int rank = 0; rank < world.size(); ++rank) {
    const std::atomic<bool> cancelled = rank == world.rank();
    CollectingSink sink;
    int runs = 0;
    repeat({world, clock, cancelled, sink, 5, clock.now()}, series, [&] {
      ++runs;
      return std::vector<double>{1.0};
    });
    EXPECT_EQ(runs, 1) << "rank " << rank;
    if (world.is_root()) {
      EXPECT_EQ(sink.ended, EndReason::kInterrupted);
    }
  }
}

}  // namespace
}  // namespace groma::job
