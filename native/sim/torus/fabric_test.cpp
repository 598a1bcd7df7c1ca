#include "sim/torus/fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

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
  fabric.arrivals(fabric.neighbour(5, 0), 0, 0)[0] = {id, 1, 0};
  fabric.arrival_counts(fabric.neighbour(5, 0), 0)[0] = 1;
  EXPECT_EQ(fabric.leaking_channels(pool), 0U);
  pool[id].steps = 2;  // more than it has tokens for
  EXPECT_EQ(fabric.leaking_channels(pool), 1U);
  ++fabric.returned(5, 7)[1];
  EXPECT_EQ(fabric.leaking_channels(pool), 1U);
  fabric.returned(5, 7)[1] = 0;
  --fabric.tokens(5)[1];
  EXPECT_EQ(fabric.leaking_channels(pool), 0U);
  fabric.arrival_counts(fabric.neighbour(5, 0), 0)[0] = 0;  // dropped
  EXPECT_EQ(fabric.leaking_channels(pool), 1U);
  fabric.returned(5, 7)[1] = 2;
  EXPECT_EQ(fabric.leaking_channels(pool), 0U);
}

TEST(Fabric, FindsThePortsThatHaveArrivals) {
  Fabric fabric(Shape::make({2, 2, 2, 2, 2, 2}, std::vector<bool>(6, true)).value(), Network{}, kDemands);
  std::byte* state = fabric.state(9);
  for (std::uint64_t ports = 0; ports < 1U << 12U; ++ports) {
    for (Port port = 0; port < 12; ++port) {
      fabric.arrival_counts(state, 1)[port] =
          static_cast<std::uint8_t>(ports >> port & 1U ? 1 + (port * 23) : 0);
    }
    ASSERT_EQ(fabric.arriving(state, 1), ports);
    ASSERT_EQ(fabric.arriving(state, 0), 0U) << "an inbox of its own for each window";
  }
}

/// Sums of tokens have a byte each.
TEST(Fabric, CountsTheTokensOfAGroupOfWindowsInAByte) {
  for (const double bytes_per_cycle : {0.25, 2.0, 32.0, 256.0}) {
    for (const std::uint32_t channel_bytes : {1024U, 8160U, 8192U, 1U << 19U}) {
      Network network;
      network.hop_latency = 64;
      network.bytes_per_cycle = bytes_per_cycle;
      network.channel_bytes = channel_bytes;
      const Fabric fabric(mesh(), network, kDemands);
      const auto windows = static_cast<Cycles>(fabric.collection_of(0) + 1);
      for (std::uint32_t steps = 1; steps <= network.largest_steps(); ++steps) {
        const Cycles packets = windows * fabric.window() / fabric.wire_time(steps);
        const Cycles tokens = network.largest_steps() + (packets * steps);
        EXPECT_LE(std::min<Cycles>(tokens, network.channel_tokens()), kMaxReturnedOfQueue)
            << bytes_per_cycle << " " << channel_bytes << " " << steps;
      }
    }
  }
}

/// Each part of the state of some nodes gets a number of its own, and keeps it.
TEST(Fabric, KeepsThePartsOfItsNodesApart) {
  for (const Routing routing : {Routing::kAdaptive, Routing::kDeterministic}) {
    Network network;
    network.routing = routing;
    Fabric fabric(Shape::make({5, 3, 2}, {true, true, false}).value(), network, {3, 2, 8});
    const auto each_part = [&](auto use) {
      for (const Node node : {Node{11}, Node{12}, Node{13}}) {
        std::byte* state = fabric.state(node);
        use(fabric.router(state).requested);
        use(fabric.blocked(state));
        for (Port port = 0; port < 6; ++port) use(fabric.link(state, port).packets);
        for (Port port = 0; port < 6; ++port) use(fabric.stall(node, port).before);
        for (std::uint32_t queue = 0; queue < fabric.queues(); ++queue)
          use(fabric.queue(state, queue).waiting);
        for (std::uint32_t fifo = 0; fifo < 2; ++fifo) use(fabric.reception(node, fifo).turn);
        for (std::uint32_t channel = 0; channel < fabric.channel_queues(); ++channel) {
          use(fabric.tokens(state)[channel]);
          for (std::uint64_t window = 0; window <= fabric.token_flight(); ++window) {
            use(fabric.returned(state, window)[channel]);
          }
        }
        for (std::uint64_t window = 0; window < 2; ++window) {
          for (Port port = 0; port < 6; ++port) use(fabric.arrivals(state, window, port)->after);
        }
      }
    };
    std::uint32_t number = 0;
    each_part([&](auto& part) { part = static_cast<std::remove_reference_t<decltype(part)>>(++number); });
    number = 0;
    each_part(
        [&](auto& part) { EXPECT_EQ(part, static_cast<std::remove_reference_t<decltype(part)>>(++number)); });
  }
}

}  // namespace
}  // namespace groma::sim::torus
