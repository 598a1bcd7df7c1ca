#include "hpcc/effective_bandwidth/patterns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace groma::hpcc {
namespace {

// The definition: loops of 8 and 1 (ping-pong) or 3 (rings), five samples and two, the best of which counts.
constexpr std::uint32_t kLatencyLoop = 8;
constexpr std::uint32_t kLatencyRepeats = 5;
constexpr std::uint32_t kBandwidthPingPongLoop = 1;
constexpr std::uint32_t kBandwidthRingLoop = 3;
constexpr std::uint32_t kBandwidthRepeats = 2;
constexpr std::uint32_t kLatencyRings = 30;
constexpr std::uint32_t kBandwidthRings = 10;
// Loops are lengthened to ten ticks of the clock, a tick counting for no less than a microsecond.
constexpr Seconds kShortestSample{10e-6};
constexpr std::uint32_t kLongestLoop = 1024;

constexpr std::size_t kMostPairs = 1024;
constexpr std::size_t kFewestPairs = 5;
constexpr std::uint32_t kFewestRings = 3;
constexpr std::size_t kColdPairs = 4;
constexpr std::uint64_t kLargestOfCurve = 4U << 20U;

/// One iteration warms up memory and connections; short messages also need the code in the caches, which
/// long messages of the sample before have swept.
std::uint32_t warm_ups_of(std::uint64_t bytes) {
  return bytes < 4096 ? 4 : 1;
}

std::uint32_t lengthened(Seconds iteration) {
  const double needed = std::ceil(kShortestSample / iteration);
  return static_cast<std::uint32_t>(
      std::clamp(needed, static_cast<double>(kLatencyLoop), static_cast<double>(kLongestLoop)));
}

/// How many of `all` fit in `time` when each costs `one`, but `fewest` at least.
std::uint64_t fitting(Seconds time, Seconds one, std::uint64_t fewest, std::uint64_t all) {
  if (fewest >= all) return all;
  const double fit = time / one;
  return std::clamp(static_cast<std::uint64_t>(std::clamp(fit, 0.0, 1e9)), fewest, all);
}

/// Appends patterns, each with its slots behind those before it.
class PatternList {
 public:
  void add(Pattern pattern) {
    pattern.slot = slots_;
    slots_ += pattern.repeats;
    patterns_.push_back(pattern);
  }
  void add_ring(Pattern pattern) {
    for (const Exchange exchange : {Exchange::kSendReceive, Exchange::kNonBlocking}) {
      pattern.exchange = exchange;
      add(pattern);
    }
  }
  [[nodiscard]] std::vector<Pattern> take() { return std::move(patterns_); }

 private:
  std::vector<Pattern> patterns_;
  std::size_t slots_ = 0;
};

Pattern latency_pattern(Purpose purpose, BufferState buffers, std::uint32_t route, std::uint32_t loop) {
  return {Exchange::kPingPong,        purpose, buffers,        route, kLatencyBytes,
          warm_ups_of(kLatencyBytes), loop,    kLatencyRepeats};
}

Pattern bandwidth_pattern(Purpose purpose, BufferState buffers, std::uint32_t route, std::uint32_t loop) {
  return {Exchange::kPingPong,          purpose, buffers,          route, kBandwidthBytes,
          warm_ups_of(kBandwidthBytes), loop,    kBandwidthRepeats};
}

void add_headline(const Scope& scope, PatternList& list) {
  constexpr auto kPurpose = Purpose::kHeadline;
  constexpr auto kBuffers = BufferState::kReused;
  for (std::uint32_t pair = 0; pair < scope.latency_pairs; ++pair) {
    list.add(latency_pattern(kPurpose, kBuffers, pair, scope.ping_pong_loop));
  }
  for (std::uint32_t pair = 0; pair < scope.bandwidth_pairs; ++pair) {
    list.add(bandwidth_pattern(kPurpose, kBuffers, pair, kBandwidthPingPongLoop));
  }
  for (std::uint32_t ring = 0; ring <= scope.latency_rings; ++ring) {
    list.add_ring(latency_pattern(kPurpose, kBuffers, ring, scope.ring_loop));
  }
  for (std::uint32_t ring = 0; ring <= scope.bandwidth_rings; ++ring) {
    list.add_ring(bandwidth_pattern(kPurpose, kBuffers, ring, kBandwidthRingLoop));
  }
}

void add_cold(const Scope& scope, PatternList& list) {
  constexpr auto kPurpose = Purpose::kCold;
  constexpr auto kBuffers = BufferState::kRotating;
  for (std::uint32_t pair = 0; pair < std::min(kColdPairs, scope.bandwidth_pairs); ++pair) {
    list.add(latency_pattern(kPurpose, kBuffers, pair, scope.ping_pong_loop));
    list.add(bandwidth_pattern(kPurpose, kBuffers, pair, kBandwidthPingPongLoop));
  }
  for (const std::uint32_t ring : {0U, 1U}) {
    list.add_ring(latency_pattern(kPurpose, kBuffers, ring, scope.ring_loop));
    list.add_ring(bandwidth_pattern(kPurpose, kBuffers, ring, kBandwidthRingLoop));
  }
}

/// Sizes of a curve: the powers of two, and between them the odd neighbours that no protocol favours.
std::vector<std::uint64_t> curve_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= kLargestOfCurve; size *= 2) {
    sizes.push_back(size);
    if (size >= 8 && size < kLargestOfCurve) sizes.push_back(size + size / 2 + 1);
  }
  return sizes;
}

void add_curves(const Scope& scope, PatternList& list) {
  constexpr std::uint64_t kBytesOfLoop = 65536;
  constexpr std::uint64_t kLongest = 16;
  for (const std::uint64_t bytes : curve_sizes()) {
    const auto loop =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kBytesOfLoop / bytes, 1, kLongest));
    for (const BufferState buffers : {BufferState::kReused, BufferState::kRotating}) {
      Pattern pattern{Exchange::kPingPong, Purpose::kCurve, buffers, 0, bytes, warm_ups_of(bytes), loop, 1};
      for (; pattern.route < std::min<std::size_t>(2, scope.latency_pairs); ++pattern.route) {
        list.add(pattern);
      }
      for (pattern.route = 0; pattern.route < 2; ++pattern.route) list.add_ring(pattern);
    }
  }
}

}  // namespace

std::string_view name_of(Exchange exchange) {
  switch (exchange) {
    case Exchange::kPingPong:
      return "ping_pong";
    case Exchange::kSendReceive:
      return "send_receive";
    case Exchange::kNonBlocking:
      return "non_blocking";
  }
  return "";
}

std::string_view name_of(BufferState buffers) {
  return buffers == BufferState::kReused ? "reused" : "rotating";
}

std::string_view name_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::kHeadline:
      return "headline";
    case Purpose::kCold:
      return "cold";
    case Purpose::kCurve:
      return "curve";
  }
  return "";
}

Scope scope_for(const Costs& costs, Seconds round, int ranks, bool curves) {
  const auto count = static_cast<std::uint64_t>(ranks);
  const std::uint64_t pairs = std::min<std::uint64_t>(kMostPairs, count * (count - 1));
  const Seconds share = round / 4.0;  // for each of the four groups
  const auto pair = [](const Cost& cost, std::uint32_t repeats) { return cost.sample * repeats; };
  const auto ring = [](const Cost& cost, std::uint32_t repeats) { return cost.sample * (2.0 * repeats); };
  const Seconds latency_ring = ring(costs.ring_latency, kLatencyRepeats);
  const Seconds bandwidth_ring = ring(costs.ring_bandwidth, kBandwidthRepeats);
  return {
      .latency_pairs = fitting(share, pair(costs.ping_pong_latency, kLatencyRepeats), kFewestPairs, pairs),
      .bandwidth_pairs =
          fitting(share, pair(costs.ping_pong_bandwidth, kBandwidthRepeats), kFewestPairs, pairs),
      .latency_rings = static_cast<std::uint32_t>(fitting(share, latency_ring, kFewestRings, kLatencyRings)),
      .bandwidth_rings =
          static_cast<std::uint32_t>(fitting(share, bandwidth_ring, kFewestRings, kBandwidthRings)),
      .ping_pong_loop = lengthened(costs.ping_pong_latency.iteration),
      .ring_loop = lengthened(costs.ring_latency.iteration),
      .curves = curves,
  };
}

std::uint64_t largest_message(bool curves) {
  return curves ? kLargestOfCurve : kBandwidthBytes;
}

std::vector<Pattern> patterns_of(const Scope& scope) {
  PatternList list;
  add_headline(scope, list);
  add_cold(scope, list);
  if (scope.curves) add_curves(scope, list);
  return list.take();
}

std::size_t slots_of(const std::vector<Pattern>& patterns) {
  return patterns.empty() ? 0 : patterns.back().slot + patterns.back().repeats;
}

std::vector<Turn> turns_of_round(const std::vector<Pattern>& patterns, RandomStream random) {
  std::vector<Turn> turns;
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    for (std::uint32_t repeat = 0; repeat < patterns[pattern].repeats; ++repeat) {
      turns.push_back({pattern, patterns[pattern].slot + repeat});
    }
  }
  shuffle(std::span(turns), random);
  return turns;
}

}  // namespace groma::hpcc
