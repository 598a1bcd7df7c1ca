#include "sim/torus/network.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace groma::sim::torus {
namespace {

TEST(Network, CountsTheWireOverheadOfBlueGene) {
  Network network;                                            // 0.25 bytes a cycle, 14 bytes on the wire
  EXPECT_EQ(network.wire_time(network.steps_of(240)), 1080);  // 270 bytes
  EXPECT_EQ(network.steps_of(240), 8U);
  EXPECT_EQ(network.steps_of(16), 1U);
  EXPECT_EQ(network.steps_of(17), 2U);
}

/// 34 bytes at 850 MB/s take 40 ns, which are 28 cycles of 700 MHz.
TEST(Network, TakesNoCycleMoreForARateThatIsNoDouble) {
  const auto time = [](std::uint32_t bytes, double link, double frequency) {
    Network network;
    network.packet_step = bytes;
    network.packet_on_wire = 0;
    network.bytes_per_cycle = link / frequency;
    return network.wire_time(1);
  };
  EXPECT_EQ(time(34, 850e6, 700e6), 28);
  EXPECT_EQ(time(42, 700e6, 500e6), 30);
  EXPECT_EQ(time(50, 5e9, 3.1e9), 31);
  EXPECT_EQ(time(270, 150e6, 440e6), 792);
  EXPECT_EQ(time(271, 150e6, 440e6), 795) << "794.93 cycles";
}

TEST(Network, RefusesBuffersInWhichPacketsCanWaitForEver) {
  Network network;
  network.channel_bytes = 511;
  const Status status = check(network);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("bubble rule"), std::string::npos);
  EXPECT_NE(status.error().next.find("512"), std::string::npos);
  network.channel_bytes = 512;
  EXPECT_TRUE(check(network));
}

TEST(Network, RefusesImpossibleNumbers) {
  const auto refuses = [](auto change) {
    Network network;
    change(network);
    return !check(network);
  };
  EXPECT_TRUE(refuses([](Network& n) { n.bytes_per_cycle = 0.0; }));
  EXPECT_TRUE(refuses([](Network& n) { n.bytes_per_cycle = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refuses([](Network& n) { n.bytes_per_cycle = 1e-30; }));
  EXPECT_TRUE(refuses([](Network& n) { n.bytes_per_cycle = 1e-7; }));
  EXPECT_FALSE(refuses([](Network& n) { n.bytes_per_cycle = 1e-4; }));
  EXPECT_TRUE(refuses([](Network& n) { n.hop_latency = 0; }));
  EXPECT_TRUE(refuses([](Network& n) { n.packet_step = 0; }));
  EXPECT_TRUE(refuses([](Network& n) { n.packet_largest = 250; }));
  EXPECT_TRUE(refuses([](Network& n) { n.packet_header = 256; }));
  EXPECT_TRUE(refuses([](Network& n) { n.adaptive_channels = 4; }));
  EXPECT_TRUE(refuses([](Network& n) { n.injection_packets = 0; }));
  EXPECT_TRUE(refuses([](Network& n) { n.injection_packets = 65'536; }));
  EXPECT_FALSE(refuses([](Network& n) { n.injection_packets = 65'535; }));
  EXPECT_FALSE(refuses([](Network&) {}));
}

}  // namespace
}  // namespace groma::sim::torus
