#include "hpcc/effective_bandwidth/patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <tuple>

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

constexpr std::uint64_t kMaxPairs = 1024;
constexpr std::uint32_t kUsualPairs = 64;
constexpr std::uint32_t kMinPairs = 5;
constexpr std::uint32_t kMinRings = 3;
constexpr std::uint32_t kPairsOfOtherStates = 4;
constexpr std::uint32_t kRingsOfOtherStates = 1;  ///< beside the natural one
constexpr std::uint64_t kMaxOfCurve = 4U << 20U;

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

RouteSampling latency_sampling(std::uint64_t routes, Seconds iteration) {
  return {static_cast<std::uint32_t>(routes), kLatencyRepeats, warm_ups_of(Seconds(50e-6), 64, iteration),
          lengthened(kLatencyLoop, iteration)};
}

RouteSampling bandwidth_sampling(std::uint64_t routes, std::uint32_t loop, Seconds iteration) {
  return {static_cast<std::uint32_t>(routes), kBandwidthRepeats, warm_ups_of(Seconds(10e-3), 5, iteration),
          lengthened(loop, iteration)};
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

Pattern definition_pattern(std::uint64_t bytes, BufferState buffers, std::uint32_t route,
                           const RouteSampling& sampling) {
  return {Exchange::kPingPong, Purpose::kDefinition, buffers,         route, bytes,
          sampling.warm_ups,   sampling.loop,        sampling.repeats};
}

void add_pairs(std::uint64_t bytes, BufferState buffers, const RouteSampling& sampling, PatternList& list) {
  for (std::uint32_t pair = 0; pair < sampling.routes; ++pair) {
    list.add(definition_pattern(bytes, buffers, pair, sampling));
  }
}

void add_rings(std::uint64_t bytes, BufferState buffers, const RouteSampling& sampling, PatternList& list) {
  for (std::uint32_t ring = 0; ring <= sampling.routes; ++ring) {
    list.add_ring(definition_pattern(bytes, buffers, ring, sampling));
  }
}

void add_definition(const Scope& scope, BufferState buffers, PatternList& list) {
  add_pairs(kLatencyBytes, buffers, scope.latency_pairs, list);
  add_pairs(kBandwidthBytes, buffers, scope.bandwidth_pairs, list);
  add_rings(kLatencyBytes, buffers, scope.latency_rings, list);
  add_rings(kBandwidthBytes, buffers, scope.bandwidth_rings, list);
}

/// The other buffer states, on a few of the same routes.
void add_other_states(Scope scope, PatternList& list) {
  for (RouteSampling* pairs : {&scope.latency_pairs, &scope.bandwidth_pairs}) {
    pairs->routes = std::min(pairs->routes, kPairsOfOtherStates);
  }
  for (RouteSampling* rings : {&scope.latency_rings, &scope.bandwidth_rings})
    rings->routes = kRingsOfOtherStates;
  for (const BufferState buffers : {BufferState::kReusedHuge, BufferState::kRotating}) {
    add_definition(scope, buffers, list);
  }
}

/// Sizes of a curve: the powers of two, and between them the odd neighbours that no protocol favours.
std::vector<std::uint64_t> curve_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= kMaxOfCurve; size *= 2) {
    sizes.push_back(size);
    if (size >= 8 && size < kMaxOfCurve) sizes.push_back(size + size / 2 + 1);
  }
  return sizes;
}

/// Loops of a curve: short messages many times, with the warm-up of the nearer end.
Pattern curve_pattern(const Scope& scope, BufferState buffers, std::uint64_t bytes) {
  constexpr std::uint64_t kBytesOfLoop = 65536;
  constexpr std::uint64_t kLongest = 16;
  const RouteSampling& near = bytes < 4096 ? scope.latency_rings : scope.bandwidth_rings;
  const auto loop = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kBytesOfLoop / bytes, 1, kLongest));
  return {Exchange::kPingPong, Purpose::kCurve, buffers, 0, bytes, near.warm_ups, loop, 1};
}

/// Two pairs, the natural ring and a random one.
void add_curves(const Scope& scope, PatternList& list) {
  constexpr std::uint32_t kRoutes = 2;
  for (const std::uint64_t bytes : curve_sizes()) {
    for (const BufferState buffers :
         {BufferState::kReused, BufferState::kReusedHuge, BufferState::kRotating}) {
      Pattern pattern = curve_pattern(scope, buffers, bytes);
      for (; pattern.route < std::min(kRoutes, scope.latency_pairs.routes); ++pattern.route)
        list.add(pattern);
      for (pattern.route = 0; pattern.route < kRoutes; ++pattern.route) list.add_ring(pattern);
    }
  }
}

/// Of an iteration of a pattern, warm-up or not.
Seconds iteration_time(const Network& network, const Pattern& pattern) {
  if (pattern.exchange == Exchange::kPingPong) return network.pair.of(pattern.bytes) * 2.0;
  return pattern.route == 0 ? network.ring.of(pattern.bytes) : network.random_ring.of(pattern.bytes);
}

/// Beside the iterations of a sample: ranks agree and wait for each other along trees, messages are filled
/// and compared.
Seconds overhead(const Network& network, int ranks, std::uint64_t bytes) {
  constexpr double kTrees = 4.0;
  constexpr double kMessages = 4.0;
  constexpr double kBytesPerSecond = 4e9;
  const double levels = std::bit_width(static_cast<unsigned>(ranks - 1));
  return network.pair.latency * (kTrees * levels) +
         Seconds(kMessages * static_cast<double>(bytes) / kBytesPerSecond);
}

Seconds time_of(const Network& network, int ranks, const std::vector<Pattern>& patterns) {
  Seconds sum(0.0);
  for (const Pattern& one : patterns) sum = sum + expected_time(network, ranks, one) * one.repeats;
  return sum;
}

/// One of the four kinds of samples that the definition consists of.
struct Kind {
  RouteSampling Scope::*sampling;
  std::uint64_t bytes;
  bool is_ring;
  std::uint32_t fewest;  ///< routes, before samples are made fewer and shorter
};

constexpr std::array kKinds = std::to_array<Kind>({
    {&Scope::latency_pairs, kLatencyBytes, false, kMinPairs},
    {&Scope::latency_rings, kLatencyBytes, true, kMinRings},
    {&Scope::bandwidth_rings, kBandwidthBytes, true, kMinRings},
    {&Scope::bandwidth_pairs, kBandwidthBytes, false, kMinPairs},
});

class RoundCost {
 public:
  RoundCost(const Network& network, int ranks) : network_(network), ranks_(ranks) {}

  [[nodiscard]] Seconds of(const Scope& scope) const { return time_of(network_, ranks_, patterns_of(scope)); }
  [[nodiscard]] Seconds of(const Kind& kind, const RouteSampling& sampling) const {
    PatternList list;
    (kind.is_ring ? add_rings : add_pairs)(kind.bytes, BufferState::kReused, sampling, list);
    return time_of(network_, ranks_, list.take());
  }

 private:
  const Network& network_;
  int ranks_;
};

/// With `member` as large as `ends` allows, but `least` at least.
RouteSampling reduced(RouteSampling sampling, std::uint32_t RouteSampling::*member, std::uint32_t least,
                      const std::function<bool(const RouteSampling&)>& ends) {
  std::uint32_t most = sampling.*member;
  if (least >= most || ends(sampling)) return sampling;
  while (least < most) {
    sampling.*member = least + (most - least + 1) / 2;
    (ends(sampling) ? least : most) = ends(sampling) ? sampling.*member : sampling.*member - 1;
  }
  sampling.*member = least;
  return sampling;
}

RouteSampling shrunk(RouteSampling sampling, const Kind& kind, const RoundCost& cost, Seconds time) {
  const auto ends = [&](const RouteSampling& one) { return cost.of(kind, one) <= time; };
  sampling = reduced(sampling, &RouteSampling::routes, kind.fewest, ends);
  sampling = reduced(sampling, &RouteSampling::repeats, 1, ends);
  sampling = reduced(sampling, &RouteSampling::loop, 1, ends);
  sampling = reduced(sampling, &RouteSampling::warm_ups, 0, ends);
  return reduced(sampling, &RouteSampling::routes, 1, ends);
}

/// How late a sample may come: 0 for the first sample of a kind on the first of its routes.
int stage_of(const Pattern& pattern, std::size_t slot) {
  constexpr int kLast = 3;
  const bool is_first = slot == pattern.slot;
  if (!is_first || pattern.purpose == Purpose::kCurve || pattern.buffers != BufferState::kReused) {
    return kLast;
  }
  // Where only one way to exchange is measured it is the one that is usually faster.
  if (pattern.route > 1) return 2;
  return pattern.exchange == Exchange::kSendReceive ? 1 : 0;
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

Seconds expected_time(const Network& network, int ranks, const Pattern& pattern) {
  const double iterations = pattern.warm_ups + pattern.loop;
  return overhead(network, ranks, pattern.bytes) + iteration_time(network, pattern) * iterations;
}

Scope whole_scope(const Network& network, const Allowance& allowance, int ranks, bool curves) {
  const RoundCost cost(network, ranks);
  const Seconds share = allowance.time / (kKinds.size() * static_cast<double>(allowance.rounds));
  const auto count = static_cast<std::uint64_t>(ranks);
  const std::uint64_t pairs = std::min(kMaxPairs, count * (count - 1));
  const auto ping_pong = [&](std::uint64_t bytes) { return network.pair.of(bytes) * 2.0; };
  const auto ring = [&](std::uint64_t bytes) { return network.random_ring.of(bytes); };
  Scope scope = {
      .latency_pairs = latency_sampling(pairs, ping_pong(kLatencyBytes)),
      .bandwidth_pairs = bandwidth_sampling(pairs, kBandwidthPingPongLoop, ping_pong(kBandwidthBytes)),
      .latency_rings = latency_sampling(kLatencyRings, ring(kLatencyBytes)),
      .bandwidth_rings = bandwidth_sampling(kBandwidthRings, kBandwidthRingLoop, ring(kBandwidthBytes)),
      .other_states = true,
      .curves = curves,
  };
  for (const Kind& kind : kKinds) {
    if (kind.is_ring) continue;
    RouteSampling& sampling = scope.*kind.sampling;
    sampling = reduced(sampling, &RouteSampling::routes, kUsualPairs,
                       [&](const RouteSampling& one) { return cost.of(kind, one) <= share; });
  }
  return scope;
}

Scope scope_for(const Network& network, const Allowance& allowance, int ranks, bool curves) {
  const RoundCost cost(network, ranks);
  Scope scope = whole_scope(network, allowance, ranks, false);
  const bool all_rounds_end = cost.of(scope) * allowance.rounds <= allowance.time;
  scope.other_states = all_rounds_end;
  const bool one_ends = all_rounds_end || cost.of(scope) <= allowance.time;
  scope.curves = curves;
  if (one_ends) return scope;
  // The cheap kinds first: what they leave is for those after them.
  Seconds left = allowance.time;
  auto kinds = static_cast<double>(kKinds.size());
  for (const Kind& kind : kKinds) {
    RouteSampling& sampling = scope.*kind.sampling;
    sampling = shrunk(sampling, kind, cost, left / kinds--);
    left = left - cost.of(kind, sampling);
  }
  return scope;
}

std::uint64_t largest_message(bool curves) {
  return curves ? kMaxOfCurve : kBandwidthBytes;
}

std::vector<Pattern> patterns_of(const Scope& scope) {
  PatternList list;
  add_definition(scope, BufferState::kReused, list);
  if (scope.other_states) add_other_states(scope, list);
  if (scope.curves) add_curves(scope, list);
  return list.take();
}

std::size_t slots_of(const std::vector<Pattern>& patterns) {
  return patterns.empty() ? 0 : patterns.back().slot + patterns.back().repeats;
}

std::vector<SampleSlot> random_order(const std::vector<Pattern>& patterns, RandomStream random) {
  std::vector<SampleSlot> order;
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    for (std::uint32_t repeat = 0; repeat < patterns[pattern].repeats; ++repeat) {
      order.push_back({pattern, patterns[pattern].slot + repeat});
    }
  }
  shuffle(std::span(order), random);
  return order;
}

std::vector<SampleSlot> urgent_order(const std::vector<Pattern>& patterns, RandomStream random) {
  const std::vector<SampleSlot> shuffled = random_order(patterns, random);
  std::vector<std::tuple<int, std::uint64_t, std::size_t>> places;
  for (std::size_t i = 0; i < shuffled.size(); ++i) {
    const Pattern& pattern = patterns[shuffled[i].pattern];
    places.emplace_back(stage_of(pattern, shuffled[i].slot), pattern.bytes, i);
  }
  std::ranges::sort(places);
  std::vector<SampleSlot> order;
  for (const auto& [stage, bytes, at] : places) order.push_back(shuffled[at]);
  return order;
}

}  // namespace groma::hpcc
