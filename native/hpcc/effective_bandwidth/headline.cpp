#include "hpcc/effective_bandwidth/headline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/quantile.hpp"

namespace groma::hpcc {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kMicro = 1e6;
constexpr double kGiga = 1e-9;

enum class Group { kPingPong, kNaturalRing, kRandomRing };

Group group_of(const Pattern& pattern) {
  if (pattern.exchange == Exchange::kPingPong) return Group::kPingPong;
  return pattern.route == 0 ? Group::kNaturalRing : Group::kRandomRing;
}

struct Selection {
  Group group;
  std::uint64_t bytes;
  BufferState buffers;
};

bool is_selected(const Pattern& pattern, const Selection& by) {
  return pattern.purpose == Purpose::kDefinition && pattern.exchange != Exchange::kNonBlocking &&
         pattern.bytes == by.bytes && pattern.buffers == by.buffers && group_of(pattern) == by.group;
}

/// The best repeat of each selected pattern that was measured.
std::vector<double> best_of(const std::vector<Pattern>& patterns, const std::vector<double>& decisive,
                            const Selection& selection) {
  std::vector<double> best;
  for (const Pattern& one : patterns) {
    if (!is_selected(one, selection)) continue;
    double least = kNothing;
    for (std::size_t slot = one.slot; slot < one.slot + one.repeats; ++slot) {
      least = std::fmin(least, decisive[slot]);
    }
    if (!std::isnan(least)) best.push_back(least);
  }
  return best;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double geometric_mean(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return std::exp(mean(values));
}

std::vector<double> rates_of(std::vector<double> times, std::uint64_t bytes) {
  for (double& time : times) time = static_cast<double>(bytes) / time;
  return times;
}

double least(const std::vector<double>& values) {
  return values.empty() ? kNothing : *std::min_element(values.begin(), values.end());
}

double largest(const std::vector<double>& values) {
  return values.empty() ? kNothing : *std::max_element(values.begin(), values.end());
}

}  // namespace

const std::array<Headline, kHeadlines>& headlines() {
  static const std::array<Headline, kHeadlines> all = {{
      {"MaxPingPongLatency_usec", "ping_pong_latency_max", "s", kMicro},
      {"RandomlyOrderedRingLatency_usec", "random_ring_latency", "s", kMicro},
      {"MinPingPongBandwidth_GBytes", "ping_pong_bandwidth_min", "B/s", kGiga},
      {"NaturallyOrderedRingBandwidth_GBytes", "natural_ring_bandwidth", "B/s", kGiga},
      {"RandomlyOrderedRingBandwidth_GBytes", "random_ring_bandwidth", "B/s", kGiga},
      {"MinPingPongLatency_usec", "ping_pong_latency_min", "s", kMicro},
      {"AvgPingPongLatency_usec", "ping_pong_latency_mean", "s", kMicro},
      {"MaxPingPongBandwidth_GBytes", "ping_pong_bandwidth_max", "B/s", kGiga},
      {"AvgPingPongBandwidth_GBytes", "ping_pong_bandwidth_mean", "B/s", kGiga},
      {"NaturallyOrderedRingLatency_usec", "natural_ring_latency", "s", kMicro},
  }};
  return all;
}

HeadlineValues headlines_of(const std::vector<Pattern>& patterns, const std::vector<double>& decisive,
                            BufferState buffers) {
  const auto times = [&](Group group, std::uint64_t bytes) {
    return best_of(patterns, decisive, {group, bytes, buffers});
  };
  const auto latencies = times(Group::kPingPong, kLatencyBytes);
  const auto bandwidths = rates_of(times(Group::kPingPong, kBandwidthBytes), kBandwidthBytes);
  const auto ring_rate = [&](Group group) {
    return static_cast<double>(kBandwidthBytes) / geometric_mean(times(group, kBandwidthBytes));
  };
  return {
      largest(latencies),
      geometric_mean(times(Group::kRandomRing, kLatencyBytes)),
      least(bandwidths),
      ring_rate(Group::kNaturalRing),
      ring_rate(Group::kRandomRing),
      least(latencies),
      mean(latencies),
      largest(bandwidths),
      mean(bandwidths),
      geometric_mean(times(Group::kNaturalRing, kLatencyBytes)),
  };
}

RingSpread random_ring_spread(const std::vector<Pattern>& patterns, const std::vector<double>& decisive,
                              std::uint64_t bytes) {
  const auto times = best_of(patterns, decisive, {Group::kRandomRing, bytes, BufferState::kReused});
  return {least(times), largest(times)};
}

Coverage coverage_of(const std::vector<Pattern>& patterns, const std::vector<double>& decisive) {
  const auto count = [&](Group group, std::uint64_t bytes) {
    return best_of(patterns, decisive, {group, bytes, BufferState::kReused}).size();
  };
  return {.latency_pairs = count(Group::kPingPong, kLatencyBytes),
          .bandwidth_pairs = count(Group::kPingPong, kBandwidthBytes),
          .latency_rings = count(Group::kRandomRing, kLatencyBytes),
          .bandwidth_rings = count(Group::kRandomRing, kBandwidthBytes)};
}

std::vector<SummaryEntry> summary_of(const std::vector<HeadlineValues>& rounds) {
  std::vector<SummaryEntry> summary;
  for (std::size_t i = 0; i < kHeadlines; ++i) {
    const Headline& one = headlines().at(i);
    std::vector<double> measured;
    for (const HeadlineValues& values : rounds) {
      if (!std::isnan(values.at(i))) measured.push_back(values.at(i));
    }
    summary.push_back(entry(one.key, measured.empty() ? -1.0 : one.scale * quantile(measured, 0.5)));
  }
  return summary;
}

}  // namespace groma::hpcc
