#include "hpcc/effective_bandwidth/sample_cases.hpp"

#include <algorithm>
#include <cmath>

#include "base/quantile.hpp"
#include "hpcc/effective_bandwidth/headline.hpp"

namespace groma::hpcc {
namespace {

// The order of a ring follows from its number and the seed; where it is short it is written anyway.
constexpr int kLongestRing = 4096;

std::string_view place_of(const Pattern& pattern) {
  if (pattern.exchange == Exchange::kPingPong) return "pair";
  return pattern.route == 0 ? "natural_ring" : "random_ring";
}

Case case_of(const PatternContext& from, const Pattern& pattern, std::string_view series) {
  Case one("s");
  one.with("series", series)
      .with("mode", "mpi")
      .with("purpose", name_of(pattern.purpose))
      .with("pattern", place_of(pattern))
      .with("exchange", name_of(pattern.exchange))
      .with("bytes", pattern.bytes)
      .with("buffers", name_of(pattern.buffers))
      .with("warm_ups", pattern.warm_ups)
      .with("loop", pattern.loop);
  if (pattern.exchange == Exchange::kPingPong) {
    const RankPair& pair = from.pairs[pattern.route];
    return one.with("client", pair.client).with("server", pair.server);
  }
  return one.with("ring", pattern.route);
}

std::vector<double> samples_of(const Pattern& pattern, const std::vector<double>& by_slot) {
  const auto first = by_slot.begin() + static_cast<std::ptrdiff_t>(pattern.slot);
  return {first, first + pattern.repeats};
}

Case figure(std::string_view unit, std::string_view series) {
  return Case(unit).with("series", series).with("mode", "mpi").with("rank", 0);
}

bool takes_part(const PatternContext& from, const Pattern& pattern, int rank) {
  if (pattern.exchange != Exchange::kPingPong) return true;
  const RankPair& pair = from.pairs[pattern.route];
  return pair.client == rank || pair.server == rank;
}

/// The median over the samples of rings.
double median_skew(const std::vector<Pattern>& patterns, const RoundResult& round, std::uint64_t bytes) {
  std::vector<double> skews;
  for (const Pattern& one : patterns) {
    if (one.exchange == Exchange::kPingPong || one.bytes != bytes) continue;
    for (const double skew : samples_of(one, round.skews)) {
      if (!std::isnan(skew)) skews.push_back(skew);
    }
  }
  return quantile(skews, 0.5);
}

}  // namespace

void SampleCases::add_sample(std::size_t pattern, Case one, OfSample value) {
  of_sample_[pattern].push_back({cases_.size(), std::move(value)});
  cases_.push_back(std::move(one));
}

void SampleCases::add_view(std::size_t view, Case one, OfView value) {
  of_view_[view].push_back({cases_.size(), std::move(value)});
  cases_.push_back(std::move(one));
}

void SampleCases::add_round(Case one, OfRound value) {
  of_round_.push_back({cases_.size(), std::move(value)});
  cases_.push_back(std::move(one));
}

/// The values of the definition with other buffers than the original's.
void SampleCases::add_other_states(const PatternContext& from) {
  for (const BufferState buffers : {BufferState::kReusedHuge, BufferState::kRotating}) {
    const bool has_any = std::ranges::any_of(from.patterns, [&](const Pattern& one) {
      return one.purpose == Purpose::kDefinition && one.buffers == buffers;
    });
    for (std::size_t i = 0; has_any && i < kHeadlines; ++i) {
      const Headline& one = headlines().at(i);
      add_round(figure(one.unit, one.series).with("buffers", name_of(buffers)),
                [&from, buffers, i](const RoundResult& round) {
                  return headlines_of(from.patterns, round.decisive, buffers).at(i);
                });
    }
  }
}

void SampleCases::add_ring_spread(const PatternContext& from) {
  for (const std::uint64_t bytes : {kLatencyBytes, kBandwidthBytes}) {
    const auto spread = [&from, bytes](const RoundResult& round) {
      return random_ring_spread(from.patterns, round.decisive, bytes);
    };
    add_round(figure("s", "fastest_random_ring").with("bytes", bytes),
              [spread](const RoundResult& round) { return spread(round).fastest; });
    add_round(figure("s", "slowest_random_ring").with("bytes", bytes),
              [spread](const RoundResult& round) { return spread(round).slowest; });
  }
}

/// How far apart the ranks of a ring start.
void SampleCases::add_skew(const PatternContext& from) {
  for (const std::uint64_t bytes : {kLatencyBytes, kBandwidthBytes}) {
    add_round(figure("s", "start_skew").with("bytes", bytes),
              [&from, bytes](const RoundResult& round) { return median_skew(from.patterns, round, bytes); });
  }
  add_round(figure("s", "clock_uncertainty"),
            [](const RoundResult& round) { return round.clock_uncertainty.value(); });
}

void SampleCases::add_times(const PatternContext& from, std::size_t number) {
  const Pattern& pattern = from.patterns[number];
  Case time = case_of(from, pattern, "time");
  if (pattern.purpose == Purpose::kDefinition) {
    const bool is_ring = pattern.exchange != Exchange::kPingPong;
    if (is_ring && from.ranks <= kLongestRing) {
      time.with("order", ring_order(from.ranks, pattern.route, from.seed));
    }
    time.with("raw", true);
  }
  add_sample(number, std::move(time), [](const Slice& slice, std::size_t i) { return slice.times[i]; });
}

/// Warm-up and, for rings, skew over all ranks; the times of the sampled ranks that take part.
void SampleCases::add_behind(const PatternContext& from, std::size_t number) {
  const Pattern& pattern = from.patterns[number];
  const auto raw = [&](std::string_view series) { return case_of(from, pattern, series).with("raw", true); };
  if (pattern.warm_ups > 0) {
    add_sample(number, raw("warm_up"), [](const Slice& slice, std::size_t i) { return slice.warm_ups[i]; });
  }
  if (pattern.exchange != Exchange::kPingPong) {
    add_sample(number, raw("start_skew"), [](const Slice& slice, std::size_t i) { return slice.skews[i]; });
  }
  for (std::size_t view = 0; view < from.sampled.size(); ++view) {
    if (!takes_part(from, pattern, from.sampled[view])) continue;
    add_sample(number, raw("rank_time").with("rank", from.sampled[view]),
               [view](const Slice& slice, std::size_t i) { return slice.views[view].times[i]; });
  }
}

void SampleCases::add_conditions(const PatternContext& from) {
  for (std::size_t view = 0; view < from.sampled.size(); ++view) {
    const auto add = [&](std::string_view unit, std::string_view series, OfView value) {
      add_view(view,
               Case(unit)
                   .with("series", series)
                   .with("mode", "mpi")
                   .with("rank", from.sampled[view])
                   .with("raw", true),
               std::move(value));
    };
    add("s", "fixed_work", [](const RankView& of) { return of.disturbance.fixed_work.value(); });
    add("1", "wall_over_cpu", [](const RankView& of) { return of.disturbance.wall_over_cpu; });
    add("s", "clock_offset", [](const RankView& of) { return of.clock.offset.value(); });
    add("1", "clock_drift", [](const RankView& of) { return of.clock.drift; });
    add("s", "clock_uncertainty", [](const RankView& of) { return of.clock.uncertainty.value(); });
  }
}

SampleCases::SampleCases(const PatternContext& from)
    : of_sample_(from.patterns.size()), of_view_(from.sampled.size()) {
  add_other_states(from);
  add_ring_spread(from);
  add_skew(from);
  for (std::size_t number = 0; number < from.patterns.size(); ++number) {
    add_times(from, number);
    add_behind(from, number);
  }
  add_conditions(from);
}

std::vector<CaseValue> SampleCases::of_slice(const Slice& slice) const {
  std::vector<CaseValue> values;
  for (std::size_t i = 0; i < slice.samples.size(); ++i) {
    for (const auto& [which, value] : of_sample_[slice.samples[i].pattern]) {
      values.push_back({which, value(slice, i)});
    }
  }
  for (std::size_t view = 0; view < slice.views.size(); ++view) {
    for (const auto& [which, value] : of_view_[view]) values.push_back({which, value(slice.views[view])});
  }
  return values;
}

std::vector<CaseValue> SampleCases::of_round(const RoundResult& round) const {
  std::vector<CaseValue> values;
  for (const auto& [which, value] : of_round_) values.push_back({which, value(round)});
  return values;
}

}  // namespace groma::hpcc
