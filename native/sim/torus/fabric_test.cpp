#include "sim/torus/fabric.hpp"

#include <gtest/gtest.h>

namespace groma::sim::torus {
namespace {

constexpr Demands kDemands{1, 1, 8};

Shape mesh() {
  return Shape::make({4, 3}, {true, false}).value();
}

TEST(Fabric, FindsTheChannelThatLostATokenOrAPacket) {
  Fabric fabric(mesh(), Network{}, kDemands);
  PacketPool pool(8);
  PacketPool::List packets(pool);
  EXPECT_EQ(fabric.leaking_channels(pool), 0U);

  --fabric.tokens(5)[1];  // of port 0, channel 1
  EXPECT_EQ(fabric.leaking_channels(pool), 1U);
  const PacketId id = packets.take();
  pool[id] = {};
  fabric.arrivals(fabric.neighbour(5, 0), 0, 0)[0] = {id, 0, 1};
  fabric.arrival_counts(fabric.neighbour(5, 0), 0)[0] = 1;
  EXPECT_EQ(fabric.leaking_channels(pool), 0U);
  pool[id].steps = 2;  // more than it has tokens for
  EXPECT_EQ(fabric.leaking_channels(pool), 1U);
  ++fabric.returned(5, 7)[1];
  EXPECT_EQ(fabric.leaking_channels(pool), 1U);
  fabric.returned(5, 7)[1] = -1;
  EXPECT_EQ(fabric.leaking_channels(pool), 0U);
  fabric.arrival_counts(fabric.neighbour(5, 0), 0)[0] = 0;  // dropped
  EXPECT_EQ(fabric.leaking_channels(pool), 1U);
  fabric.returned(5, 7)[1] = 1;
  EXPECT_EQ(fabric.leaking_channels(pool), 0U);
}

}  // namespace
}  // namespace groma::sim::torus
