#include "hpcc/effective_bandwidth/patterns.hpp"

#include <algorithm>

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
constexpr std::size_t kPairsOfOtherStates = 4;
constexpr std::uint32_t kRingsOfOtherStates = 1;  ///< beside the natural one
constexpr std::uint64_t kLargestOfCurve = 4U << 20U;

/// Loops grow by halves until a sample is long enough for the clock.
std::uint32_t lengthened(std::uint32_t loop, Seconds iteration) {
  while (iteration * loop < kShortestSample && loop < kLongestLoop) loop += std::max(1U, loop / 2);
  return loop;
}

/// The original warms up by one iteration and takes its samples in a row. Here the sample before was of
/// another pattern and the buffers have just been filled: branch predictors and caches take longer to be
/// steady (docs/hpcc/effective_bandwidth.md#warm-up), unless a single iteration takes as long.
std::uint32_t warm_ups_of(Seconds time, std::uint32_t most, Seconds iteration) {
  return static_cast<std::uint32_t>(std::clamp(time / iteration, 1.0, static_cast<double>(most)));
}

Iterations latency_iterations(const Cost& cost) {
  return {warm_ups_of(Seconds(50e-6), 64, cost.iteration), lengthened(kLatencyLoop, cost.iteration)};
}

Iterations bandwidth_iterations(const Cost& cost, std::uint32_t loop) {
  return {warm_ups_of(Seconds(10e-3), 5, cost.iteration), lengthened(loop, cost.iteration)};
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

Pattern latency_pattern(BufferState buffers, std::uint32_t route, const Iterations& iterations) {
  return {Exchange::kPingPong, Purpose::kDefinition, buffers,         route,
          kLatencyBytes,       iterations.warm_ups,  iterations.loop, kLatencyRepeats};
}

Pattern bandwidth_pattern(BufferState buffers, std::uint32_t route, const Iterations& iterations) {
  return {Exchange::kPingPong, Purpose::kDefinition, buffers,         route,
          kBandwidthBytes,     iterations.warm_ups,  iterations.loop, kBandwidthRepeats};
}

/// How many routes a buffer state is measured on.
struct Extent {
  std::size_t latency_pairs;
  std::size_t bandwidth_pairs;
  std::uint32_t latency_rings;
  std::uint32_t bandwidth_rings;
};

void add_definition(const Scope& scope, const Extent& extent, BufferState buffers, PatternList& list) {
  for (std::uint32_t pair = 0; pair < extent.latency_pairs; ++pair) {
    list.add(latency_pattern(buffers, pair, scope.latency_pair));
  }
  for (std::uint32_t pair = 0; pair < extent.bandwidth_pairs; ++pair) {
    list.add(bandwidth_pattern(buffers, pair, scope.bandwidth_pair));
  }
  for (std::uint32_t ring = 0; ring <= extent.latency_rings; ++ring) {
    list.add_ring(latency_pattern(buffers, ring, scope.latency_ring));
  }
  for (std::uint32_t ring = 0; ring <= extent.bandwidth_rings; ++ring) {
    list.add_ring(bandwidth_pattern(buffers, ring, scope.bandwidth_ring));
  }
}

/// The other buffer states, on a few of the same routes.
void add_other_states(const Scope& scope, PatternList& list) {
  const std::size_t pairs = std::min(kPairsOfOtherStates, scope.bandwidth_pairs);
  const Extent few{pairs, pairs, kRingsOfOtherStates, kRingsOfOtherStates};
  for (const BufferState buffers : {BufferState::kReusedHuge, BufferState::kRotating}) {
    add_definition(scope, few, buffers, list);
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

/// Loops of a curve: short messages many times, with the warm-up of the nearer end.
Pattern curve_pattern(const Scope& scope, BufferState buffers, std::uint64_t bytes) {
  constexpr std::uint64_t kBytesOfLoop = 65536;
  constexpr std::uint64_t kLongest = 16;
  const Iterations& near = bytes < 4096 ? scope.latency_ring : scope.bandwidth_ring;
  const auto loop = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kBytesOfLoop / bytes, 1, kLongest));
  return {Exchange::kPingPong, Purpose::kCurve, buffers, 0, bytes, near.warm_ups, loop, 1};
}

/// Two pairs, the natural ring and a random one.
void add_curves(const Scope& scope, PatternList& list) {
  constexpr std::size_t kRoutes = 2;
  for (const std::uint64_t bytes : curve_sizes()) {
    for (const BufferState buffers :
         {BufferState::kReused, BufferState::kReusedHuge, BufferState::kRotating}) {
      Pattern pattern = curve_pattern(scope, buffers, bytes);
      for (; pattern.route < std::min(kRoutes, scope.latency_pairs); ++pattern.route) list.add(pattern);
      for (pattern.route = 0; pattern.route < kRoutes; ++pattern.route) list.add_ring(pattern);
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
  switch (buffers) {
    case BufferState::kReused:
      return "reused";
    case BufferState::kReusedHuge:
      return "reused_huge";
    case BufferState::kRotating:
      return "rotating";
  }
  return "";
}

std::string_view name_of(Purpose purpose) {
  return purpose == Purpose::kDefinition ? "definition" : "curve";
}

Scope scope_for(const Costs& costs, Seconds round, int ranks, bool curves) {
  const auto count = static_cast<std::uint64_t>(ranks);
  const std::uint64_t pairs = std::min<std::uint64_t>(kMostPairs, count * (count - 1));
  const Seconds share = round / 4.0;  // for each of the four groups
  const Seconds latency_pair = costs.ping_pong_latency.sample * kLatencyRepeats;
  const Seconds bandwidth_pair = costs.ping_pong_bandwidth.sample * kBandwidthRepeats;
  const Seconds latency_ring = costs.ring_latency.sample * (2.0 * kLatencyRepeats);
  const Seconds bandwidth_ring = costs.ring_bandwidth.sample * (2.0 * kBandwidthRepeats);
  const auto rings = [share](Seconds one, std::uint32_t most) {
    return static_cast<std::uint32_t>(fitting(share, one, kFewestRings, most));
  };
  return {
      .latency_pairs = fitting(share, latency_pair, kFewestPairs, pairs),
      .bandwidth_pairs = fitting(share, bandwidth_pair, kFewestPairs, pairs),
      .latency_rings = rings(latency_ring, kLatencyRings),
      .bandwidth_rings = rings(bandwidth_ring, kBandwidthRings),
      .latency_pair = latency_iterations(costs.ping_pong_latency),
      .bandwidth_pair = bandwidth_iterations(costs.ping_pong_bandwidth, kBandwidthPingPongLoop),
      .latency_ring = latency_iterations(costs.ring_latency),
      .bandwidth_ring = bandwidth_iterations(costs.ring_bandwidth, kBandwidthRingLoop),
      .other_states = (latency_ring + bandwidth_ring) * kFewestRings <= round,
      .curves = curves,
  };
}

std::uint64_t largest_message(bool curves) {
  return curves ? kLargestOfCurve : kBandwidthBytes;
}

std::vector<Pattern> patterns_of(const Scope& scope) {
  PatternList list;
  const Extent all{scope.latency_pairs, scope.bandwidth_pairs, scope.latency_rings, scope.bandwidth_rings};
  add_definition(scope, all, BufferState::kReused, list);
  if (scope.other_states) add_other_states(scope, list);
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
