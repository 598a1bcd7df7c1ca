#include "hpcc/effective_bandwidth/telling.hpp"

#include <cmath>

#include "base/quantile.hpp"
#include "hpcc/effective_bandwidth/headline.hpp"

namespace groma::hpcc {
namespace {

// The order of a ring follows from its number and the seed; where it is short it is told all the same.
constexpr int kMostTold = 4096;

std::string_view place_of(const Pattern& pattern) {
  if (pattern.exchange == Exchange::kPingPong) return "pair";
  return pattern.route == 0 ? "natural_ring" : "random_ring";
}

Case case_of(const Surroundings& from, const Pattern& pattern, std::string_view series) {
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

void add(job::RawSamples& told, Case one, std::vector<double> samples) {
  told.cases.push_back(std::move(one));
  told.values.push_back(std::move(samples));
}

/// Time, warm-up and, for rings, skew over all ranks.
void add_pattern(const Surroundings& from, const RoundResult& round, const Pattern& pattern,
                 job::RawSamples& told) {
  Case time = case_of(from, pattern, "time");
  const bool is_ring = pattern.exchange != Exchange::kPingPong;
  if (is_ring && from.ranks <= kMostTold) {
    time.with("order", ring_order(from.ranks, pattern.route, from.seed));
  }
  if (pattern.purpose != Purpose::kCurve) add(told, std::move(time), samples_of(pattern, round.times));
  add(told, case_of(from, pattern, "warm_up"), samples_of(pattern, round.warm_ups));
  if (is_ring) add(told, case_of(from, pattern, "start_skew"), samples_of(pattern, round.skews));
}

/// The time of each told rank that takes part.
void add_ranks(const Surroundings& from, const RoundResult& round, const Pattern& pattern,
               job::RawSamples& told) {
  for (const RankView& view : round.views) {
    if (std::isnan(view.times[pattern.slot])) continue;
    add(told, case_of(from, pattern, "rank_time").with("rank", view.rank), samples_of(pattern, view.times));
  }
}

void add_conditions(const RoundResult& round, job::RawSamples& told) {
  const auto of_rank = [](std::string_view unit, std::string_view series, int rank) {
    return Case(unit).with("series", series).with("mode", "mpi").with("rank", rank);
  };
  for (const RankView& view : round.views) {
    add(told, of_rank("s", "fixed_work", view.rank), {view.disturbance.fixed_work.value()});
    add(told, of_rank("1", "wall_over_cpu", view.rank), {view.disturbance.wall_over_cpu});
    add(told, of_rank("s", "clock_offset", view.rank), {view.clock.offset.value()});
    add(told, of_rank("1", "clock_drift", view.rank), {view.clock.drift});
    add(told, of_rank("s", "clock_uncertainty", view.rank), {view.clock.uncertainty.value()});
  }
}

Case figure(std::string_view unit, std::string_view series) {
  return Case(unit).with("series", series).with("mode", "mpi").with("rank", 0);
}

/// The values of the definition with other buffers than the original's.
void add_other_states(const Surroundings& from, const RoundResult& round, job::RawSamples& told) {
  for (const BufferState buffers : {BufferState::kReusedHuge, BufferState::kRotating}) {
    const HeadlineValues values = headlines_of(from.patterns, round.decisive, buffers);
    for (std::size_t i = 0; i < kHeadlines; ++i) {
      const Headline& one = headlines().at(i);
      if (std::isnan(values.at(i))) continue;  // left out of the scope
      add(told, figure(one.unit, one.series).with("buffers", name_of(buffers)), {values.at(i)});
    }
  }
}

void add_ring_spread(const Surroundings& from, const RoundResult& round, job::RawSamples& told) {
  for (const std::uint64_t bytes : {kLatencyBytes, kBandwidthBytes}) {
    const RingSpread spread = random_ring_spread(from.patterns, round.decisive, bytes);
    add(told, figure("s", "fastest_random_ring").with("bytes", bytes), {spread.fastest});
    add(told, figure("s", "slowest_random_ring").with("bytes", bytes), {spread.slowest});
  }
}

/// How far apart the ranks of a ring start: the median over the samples of a round.
void add_skew(const Surroundings& from, const RoundResult& round, job::RawSamples& told) {
  for (const std::uint64_t bytes : {kLatencyBytes, kBandwidthBytes}) {
    std::vector<double> skews;
    for (const Pattern& one : from.patterns) {
      if (one.exchange == Exchange::kPingPong || one.bytes != bytes) continue;
      for (const double skew : samples_of(one, round.skews)) skews.push_back(skew);
    }
    add(told, figure("s", "start_skew").with("bytes", bytes), {quantile(skews, 0.5)});
  }
  add(told, figure("s", "clock_uncertainty"), {round.clock_uncertainty.value()});
}

/// The curves themselves: times over sizes.
void add_curves(const Surroundings& from, const RoundResult& round, job::RawSamples& told) {
  for (const Pattern& one : from.patterns) {
    if (one.purpose == Purpose::kCurve) add(told, case_of(from, one, "time"), samples_of(one, round.times));
  }
}

}  // namespace

job::RawSamples tell(const Surroundings& from, const RoundResult& round) {
  job::RawSamples told;
  add_other_states(from, round, told);
  add_ring_spread(from, round, told);
  add_skew(from, round, told);
  add_curves(from, round, told);
  told.figures = told.cases.size();
  for (const Pattern& pattern : from.patterns) {
    add_pattern(from, round, pattern, told);
    add_ranks(from, round, pattern, told);
  }
  add_conditions(round, told);
  return told;
}

}  // namespace groma::hpcc
