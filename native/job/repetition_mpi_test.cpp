#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "job/repetition.hpp"
#include "testing/collecting_sink.hpp"
#include "testing/fakes.hpp"
#include "testing/yielding_mpi.hpp"

namespace groma::job {
namespace {

TEST(TimeTogether, LeavesTheCoreToRanksThatHaveNotBegun) {
  const auto world = mpi::Communicator::world();
  const std::uint64_t before = testing::blocking_barriers();
  int runs = 0;
  time_together(world, SystemClock(), [&] { ++runs; });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(testing::blocking_barriers(), before);
}

TEST(TimeTogether, IsThatOfTheSlowestRank) {
  const auto world = mpi::Communicator::world();
  fake::ManualClock clock;
  const Seconds own(static_cast<double>(world.rank() + 1));
  const Seconds time = time_together(world, clock, [&] { clock.time = clock.time + own; });
  EXPECT_EQ(time, Seconds(static_cast<double>(world.size())));
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
