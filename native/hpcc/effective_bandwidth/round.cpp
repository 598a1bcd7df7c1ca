#include "hpcc/effective_bandwidth/round.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/disturbance.hpp"

namespace groma::hpcc {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr int kMaxSampledRanks = 32;
// A launcher kills a second after it passed a signal on: more than this is not lost.
constexpr Seconds kSlice{1.0};

std::vector<double> column(const std::vector<RankSample>& samples, Seconds RankSample::*member,
                           double otherwise) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const RankSample& sample : samples)
    values.push_back(sample.took_part ? (sample.*member).value() : otherwise);
  return values;
}

std::vector<double> starts_on(const mpi::ClockModel& model, const std::vector<RankSample>& samples,
                              double otherwise) {
  std::vector<double> starts;
  starts.reserve(samples.size());
  for (const RankSample& sample : samples) {
    starts.push_back(sample.took_part ? model.to_reference(sample.start).value() : otherwise);
  }
  return starts;
}

/// The smaller one; the other where one was not measured.
double faster(double one, double other) {
  return std::fmin(one, other);
}

}  // namespace

std::vector<int> sampled_ranks(int ranks, int most) {
  std::vector<int> sampled;
  if (ranks <= most) {
    for (int rank = 0; rank < ranks; ++rank) sampled.push_back(rank);
    return sampled;
  }
  for (std::int64_t i = 0; i < most; ++i) sampled.push_back(static_cast<int>(i * (ranks - 1) / (most - 1)));
  return sampled;
}

Rounds::Rounds(const Measured& what, Sampler& sampler)
    : what_(what),
      sampler_(sampler),
      sync_(what.all, what.clock),
      sampled_(sampled_ranks(what.all.size(), kMaxSampledRanks)),
      sampled_ranks_(what.all.split(
          std::binary_search(sampled_.begin(), sampled_.end(), what.all.rank()) ? 0 : -1, what.all.rank())) {}

void Rounds::begin(std::uint32_t round, Schedule schedule) {
  const std::vector<double> nothing(slots_of(what_.patterns), kNothing);
  round_ = round;
  schedule_.emplace(std::move(schedule));
  began_ = what_.clock.now();
  over_ = false;
  own_ = nothing;
  result_ = {.times = nothing, .decisive = {}, .skews = nothing, .clock_uncertainty = {}};
}

/// Since the round began, on the slowest rank; infinite as soon as one rank is to stop. No rank decides
/// alone.
Seconds Rounds::agreed_time() {
  const double own = what_.cancelled ? kFar : (what_.clock.now() - began_).value();
  const Seconds time(what_.all.reduce_to_all(own, mpi::Reduction::kMax));
  cancelled_ |= std::isinf(time.value());
  return time;
}

std::vector<RankSample> Rounds::measure(std::vector<SampleSlot>& slots) {
  const std::uint64_t before = 1 + round_ * own_.size();
  std::vector<RankSample> samples;
  Seconds now = agreed_time();
  const Seconds enough = now + kSlice;
  while (!cancelled_ && now < enough) {
    const auto next = schedule_->next(now);
    over_ = !next.has_value();
    if (over_) break;
    slots.push_back(*next);
    samples.push_back(sampler_.sample(what_.patterns[next->pattern], what_.routes, before + next->slot));
    now = agreed_time();
  }
  over_ |= cancelled_;
  return samples;
}

/// The server of a ping-pong took a time as well, but the definition asks for the client's.
double Rounds::own_time(const Pattern& pattern, const RankSample& sample) const {
  const bool serves =
      pattern.exchange == Exchange::kPingPong && what_.routes.pairs[pattern.route].client != what_.all.rank();
  return sample.took_part && !serves ? sample.time.value() : 0.0;
}

void Rounds::keep(const std::vector<RankSample>& samples, const Slice& slice) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const SampleSlot& at = slice.samples[i];
    own_[at.slot] = own_time(what_.patterns[at.pattern], samples[i]);
    if (!what_.all.is_root()) continue;
    result_.times[at.slot] = slice.times[i];
    result_.skews[at.slot] = slice.skews[i];
  }
  result_.clock_uncertainty = std::max(result_.clock_uncertainty, slice.clock_uncertainty);
}

void Rounds::reduce_times(const std::vector<RankSample>& samples, Slice& slice) const {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    slice.times.push_back(own_time(what_.patterns[slice.samples[i].pattern], samples[i]));
  }
  slice.warm_ups = column(samples, &RankSample::warm_up, 0.0);
  for (auto* values : {&slice.times, &slice.warm_ups}) {
    what_.all.reduce_to_root(std::span(*values), mpi::Reduction::kMax);
  }
}

void Rounds::reduce_skews(const std::vector<RankSample>& samples, const mpi::ClockModel& model,
                          Slice& slice) const {
  std::vector<double> first = starts_on(model, samples, kFar);
  slice.skews = starts_on(model, samples, -kFar);
  what_.all.reduce_to_root(std::span(first), mpi::Reduction::kMin);
  what_.all.reduce_to_root(std::span(slice.skews), mpi::Reduction::kMax);
  for (std::size_t i = 0; i < first.size(); ++i) slice.skews[i] -= first[i];
  slice.clock_uncertainty = Seconds(what_.all.reduce_to_all(model.uncertainty.value(), mpi::Reduction::kMax));
}

void Rounds::reduce_disturbance(const Disturbance& own, Slice& slice) const {
  const auto worst = [this](double value) { return what_.all.reduce_to_all(value, mpi::Reduction::kMax); };
  slice.disturbance = {.fixed_work = Seconds(worst(own.fixed_work.value())),
                       .wall_over_cpu = worst(own.wall_over_cpu),
                       .steal = Seconds(worst(own.steal.value()))};
}

void Rounds::gather_views(const std::vector<RankSample>& samples, const mpi::ClockModel& model,
                          const Disturbance& own, Slice& slice) const {
  if (!sampled_ranks_) return;
  const auto times = sampled_ranks_->gather_rows(column(samples, &RankSample::time, kNothing));
  const auto clocks = sampled_ranks_->gather_rows(std::vector<double>{
      model.origin.value(), model.offset.value(), model.drift, model.uncertainty.value()});
  const auto disturbances = sampled_ranks_->gather_rows(
      std::vector<double>{own.fixed_work.value(), own.wall_over_cpu, own.steal.value()});
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    const auto& clock = clocks[i];
    const auto& disturbance = disturbances[i];
    slice.views.push_back({sampled_[i],
                           times[i],
                           {Seconds(clock[0]), Seconds(clock[1]), clock[2], Seconds(clock[3])},
                           {Seconds(disturbance[0]), disturbance[1], Seconds(disturbance[2])}});
  }
}

std::optional<Slice> Rounds::next() {
  if (over_) return std::nullopt;
  Slice slice;
  sync_.observe();
  const Seconds before = time_fixed_work();
  const RoundWatch watch(what_.clock, round_);
  const std::vector<RankSample> samples = measure(slice.samples);
  slice.report = watch.report();
  const Disturbance own{std::max(before, slice.report.fixed_work), slice.report.wall_over_cpu,
                        slice.report.steal};
  sync_.observe();
  const mpi::ClockModel model = sync_.settle();
  if (samples.empty()) return std::nullopt;
  for (const RankSample& sample : samples) slice.wrong += sample.wrong;
  slice.wrong = what_.all.reduce_to_all(slice.wrong, mpi::Reduction::kSum);
  reduce_times(samples, slice);
  reduce_skews(samples, model, slice);
  reduce_disturbance(own, slice);
  gather_views(samples, model, own, slice);
  keep(samples, slice);
  return slice;
}

/// By slot on this rank: of the two ways around a ring the faster one, in the slots of the first.
std::vector<double> Rounds::decisive() const {
  std::vector<double> times = own_;
  for (std::size_t i = 0; i + 1 < what_.patterns.size(); ++i) {
    if (what_.patterns[i].exchange != Exchange::kSendReceive) continue;
    const Pattern& twin = what_.patterns[i + 1];
    for (std::uint32_t repeat = 0; repeat < twin.repeats; ++repeat) {
      double& time = times[what_.patterns[i].slot + repeat];
      time = faster(time, own_[twin.slot + repeat]);
    }
  }
  return times;
}

RoundResult Rounds::finish() {
  result_.decisive = decisive();
  std::vector<bool> measured;
  for (double& time : result_.decisive) {  // no reduction knows what to do with NaN
    measured.push_back(!std::isnan(time));
    if (!measured.back()) time = 0.0;
  }
  what_.all.reduce_to_root(std::span(result_.decisive), mpi::Reduction::kMax);
  for (std::size_t slot = 0; slot < measured.size(); ++slot) {
    if (!measured[slot]) result_.decisive[slot] = kNothing;
  }
  return std::move(result_);
}

}  // namespace groma::hpcc
