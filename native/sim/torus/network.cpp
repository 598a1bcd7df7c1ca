#include "sim/torus/network.hpp"

#include <cmath>
#include <string>

namespace groma::sim::torus {
namespace {

constexpr std::uint32_t kMaxSteps = 64;
constexpr std::uint32_t kMaxTokens = 30000;  // counted in 16 bits
constexpr std::uint32_t kMaxInFifo = 65535;  // packets, likewise
constexpr double kRounding = 1e-12;          // of a rate, which is a quotient of B/s and Hz
constexpr double kMaxHops = 65'536.0;        // while one packet occupies a link: a row of tokens for each

Error wrong(const std::string& what, const std::string& next) {
  return {"usage", what, next};
}

}  // namespace

Cycles Network::wire_time(std::uint32_t steps) const {
  const double cycles = (steps * packet_step + packet_on_wire) / bytes_per_cycle;
  return static_cast<Cycles>(std::ceil(cycles * (1.0 - kRounding)));
}

Status check(const Network& network) {
  if (!(network.bytes_per_cycle > 0.0) || !std::isfinite(network.bytes_per_cycle)) {
    return wrong("the rate of a link must be above 0", "set network.bytes_per_cycle");
  }
  if (network.hop_latency < 1) return wrong("a hop takes at least 1 cycle", "set network.hop_latency");
  if (network.packet_step == 0 || network.packet_largest < network.packet_step ||
      network.packet_largest % network.packet_step != 0 || network.largest_steps() > kMaxSteps) {
    return wrong("the largest packet must be 1 to 64 steps",
                 "set network.packet_largest, network.packet_step");
  }
  const double longest = (network.packet_largest + network.packet_on_wire) / network.bytes_per_cycle;
  if (!(longest <= kMaxHops * static_cast<double>(network.hop_latency))) {
    return wrong("links are too slow: the largest packet must leave within 65536 hops",
                 "set network.bytes_per_cycle or network.hop_latency");
  }
  if (network.packet_header >= network.packet_largest) {
    return wrong("the header leaves no room for payload", "set network.packet_header");
  }
  if (network.adaptive_channels > kMaxAdaptiveChannels) {
    return wrong("at most 3 adaptive channels", "set network.adaptive_channels");
  }
  if (network.injection_packets == 0 || network.injection_packets > kMaxInFifo) {
    return wrong("an injection FIFO holds 1 to " + std::to_string(kMaxInFifo) + " packets",
                 "set network.injection_packets");
  }
  if (network.channel_tokens() > kMaxTokens)
    return wrong("channel buffers are too large", "set network.channel_bytes");
  // Bubble flow control (Puente et al. 2001): a packet that enters a ring leaves room for one more, so that
  // the packets in the ring can always move. Each buffer of the escape channel has to hold two of the
  // largest.
  if (network.channel_tokens() < 2 * network.largest_steps()) {
    return wrong("buffers of " + std::to_string(network.channel_bytes) +
                     " bytes can deadlock: the bubble rule needs room for two of the largest packets, " +
                     std::to_string(2 * network.packet_largest) + " bytes",
                 "set network.channel_bytes to " + std::to_string(2 * network.packet_largest) + " or more");
  }
  return Done{};
}

}  // namespace groma::sim::torus
