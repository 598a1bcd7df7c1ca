#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "job/repetition.hpp"
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

}  // namespace
}  // namespace groma::job
