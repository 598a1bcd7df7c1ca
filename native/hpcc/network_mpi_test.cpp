#include <gtest/gtest.h>

#include "hpcc/network.hpp"

namespace groma::hpcc {
namespace {

TEST(MeasureNetwork, GivesEveryRankTheSameTimes) {
  const auto world = mpi::Communicator::world();
  const Network network = measure_network(world, SystemClock(), 1);
  EXPECT_EQ(network.is_measured, world.size() > 1);
  for (const MessageTime& time : {network.pair, network.ring, network.random_ring}) {
    EXPECT_GT(time.latency, Seconds(0.0));
    EXPECT_GE(time.seconds_per_byte, 0.0);
    for (const double value : {time.latency.value(), time.seconds_per_byte}) {
      EXPECT_EQ(world.reduce_to_all(value, mpi::Reduction::kMin), value);
      EXPECT_EQ(world.reduce_to_all(value, mpi::Reduction::kMax), value);
    }
  }
}

}  // namespace
}  // namespace groma::hpcc
