// What a torus network is made of: links, packets, virtual channels with tokens. The defaults of sizes are
// those of Blue Gene/L (Martorell et al. 2005, "The torus network", "Network efficiency").
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.hpp"

namespace groma::sim::torus {

/// Cycles of the processor's clock.
using Cycles = std::int64_t;

/// No run goes on for so long, 73 years of 1 GHz. A time and what is spent from then on add up without
/// overflow as long as neither is more than kLatest.
inline constexpr Cycles kEndOfTime = Cycles{1} << 61U;
inline constexpr Cycles kLatest = Cycles{1} << 62U;

/// The whole cycles of a number from 0 on; kEndOfTime where it is more.
constexpr Cycles whole_cycles(double cycles) {
  return static_cast<Cycles>(std::min(cycles, static_cast<double>(kEndOfTime)));
}

enum class Routing : std::uint8_t {
  kDeterministic,  ///< dimension order on the escape channel
  kAdaptive,       ///< any minimal way on the adaptive channels, else dimension order on the escape channel
};

inline constexpr std::uint32_t kMaxAdaptiveChannels = 3;

struct Network {
  double bytes_per_cycle = 0.25;       ///< of one direction of a link
  Cycles hop_latency = 64;             ///< from the head of a packet at one router to its head at the next
  std::uint32_t packet_step = 32;      ///< bytes; packets are multiples of it, tokens stand for so many
  std::uint32_t packet_largest = 256;  ///< bytes
  std::uint32_t packet_header = 16;    ///< bytes of a packet that carry no payload
  std::uint32_t packet_on_wire = 14;   ///< bytes that a link carries for each packet in addition to it
  std::uint32_t channel_bytes = 1024;  ///< buffer of one virtual channel
  std::uint32_t adaptive_channels = 2;
  std::uint32_t injection_packets = 8;  ///< places in each injection FIFO
  std::uint32_t reception_packets = 0;  ///< places in each reception FIFO; 0 for memory without a bound
  Routing routing = Routing::kAdaptive;

  /// Steps of a packet with so many bytes of payload; one at least, also where there is neither payload nor
  /// header.
  [[nodiscard]] std::uint32_t steps_of(std::uint32_t payload) const {
    return std::max(1U, (payload + packet_header + packet_step - 1) / packet_step);
  }
  [[nodiscard]] std::uint32_t largest_steps() const { return packet_largest / packet_step; }
  [[nodiscard]] std::uint32_t largest_payload() const { return packet_largest - packet_header; }
  [[nodiscard]] std::uint32_t channel_tokens() const { return channel_bytes / packet_step; }
  /// The escape channel comes last.
  [[nodiscard]] std::uint32_t channels() const {
    return routing == Routing::kAdaptive ? adaptive_channels + 1 : 1;
  }
  /// Cycles for which a packet of so many steps occupies a link.
  [[nodiscard]] Cycles wire_time(std::uint32_t steps) const;
};

/// Refuses numbers that no network has, and buffers in which packets could wait for each other for ever.
Status check(const Network& network);

}  // namespace groma::sim::torus
