#include <gtest/gtest.h>

#include "mpi/wait.hpp"

namespace groma::mpi {
namespace {

TEST(RunAlone, RunsOnTheChosenRankOnly) {
  const auto world = Communicator::world();
  std::int64_t ran = 0;
  run_alone(world, world.size() - 1, [&] { ran = 1; });
  EXPECT_EQ(ran, world.rank() == world.size() - 1 ? 1 : 0);
  EXPECT_EQ(world.reduce_to_all(ran, Reduction::kSum), 1);
}

TEST(Barrier, HoldsAllRanksWhateverThePolicy) {
  const auto world = Communicator::world();
  for (const WaitPolicy policy : {WaitPolicy::kYield, WaitPolicy::kSleep, WaitPolicy::kIdle}) {
    int arrived = world.rank();
    if (world.is_root()) {
      for (int rank = 1; rank < world.size(); ++rank) {
        MPI_Recv(&arrived, 1, MPI_INT, rank, 0, world.handle(), MPI_STATUS_IGNORE);
        EXPECT_EQ(arrived, rank);
      }
    } else {
      MPI_Send(&arrived, 1, MPI_INT, 0, 0, world.handle());
    }
    barrier(world, policy);
  }
}

}  // namespace
}  // namespace groma::mpi
