#include "hpcc/effective_bandwidth/round.hpp"

#include <algorithm>
#include <limits>

#include "base/disturbance.hpp"

namespace groma::hpcc {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr int kMostTold = 32;

std::vector<double> column(const std::vector<Lap>& laps, Seconds Lap::*member, double otherwise) {
  std::vector<double> values;
  values.reserve(laps.size());
  for (const Lap& lap : laps) values.push_back(lap.took_part ? (lap.*member).value() : otherwise);
  return values;
}

std::vector<double> starts_on(const mpi::ClockModel& model, const std::vector<Lap>& laps, double otherwise) {
  std::vector<double> starts;
  starts.reserve(laps.size());
  for (const Lap& lap : laps) {
    starts.push_back(lap.took_part ? model.to_reference(lap.start).value() : otherwise);
  }
  return starts;
}

/// The cost of one pattern on the slowest rank, over a few samples: the first ones pay for connections.
Cost cost_of(const mpi::Communicator& all, const Clock& clock, Sampler& sampler, const Pattern& pattern,
             const Routes& routes) {
  constexpr int kSamples = 4;
  Lap last;
  all.barrier();
  const Seconds start = clock.now();
  for (int i = 0; i < kSamples; ++i) last = sampler.sample(pattern, routes, 0);
  all.barrier();
  const Seconds one = (clock.now() - start) / kSamples;
  const auto slowest = [&](Seconds time) {
    return Seconds(all.reduce_to_all(time.value(), mpi::Reduction::kMax));
  };
  return {.iteration = slowest(last.took_part ? last.time * 2.0 : Seconds(0.0)), .sample = slowest(one)};
}

}  // namespace

std::vector<int> told_ranks(int ranks, int most) {
  std::vector<int> told;
  if (ranks <= most) {
    for (int rank = 0; rank < ranks; ++rank) told.push_back(rank);
    return told;
  }
  for (std::int64_t i = 0; i < most; ++i) told.push_back(static_cast<int>(i * (ranks - 1) / (most - 1)));
  return told;
}

Costs measure_costs(const mpi::Communicator& all, const Clock& clock, Sampler& sampler) {
  const Routes routes{.pairs = {{0, all.size() - 1}},
                      .rings = {neighbours_in(ring_order(all.size(), 0, 0), all.rank())}};
  constexpr std::uint32_t kWarmUps = 1;
  const auto cost = [&](Exchange exchange, std::uint64_t bytes, std::uint32_t loop) {
    const Pattern pattern{exchange, Purpose::kDefinition, BufferState::kReused, 0, bytes, kWarmUps, loop, 1};
    return cost_of(all, clock, sampler, pattern, routes);
  };
  constexpr std::uint32_t kLoop = 8;
  return {.ping_pong_latency = cost(Exchange::kPingPong, kLatencyBytes, kLoop),
          .ping_pong_bandwidth = cost(Exchange::kPingPong, kBandwidthBytes, 1),
          .ring_latency = cost(Exchange::kNonBlocking, kLatencyBytes, kLoop),
          .ring_bandwidth = cost(Exchange::kNonBlocking, kBandwidthBytes, 3)};
}

Rounds::Rounds(const mpi::Communicator& all, const Clock& clock, Sampler& sampler,
               const std::vector<Pattern>& patterns, const Routes& routes, std::uint64_t seed)
    : all_(all),
      clock_(clock),
      sampler_(sampler),
      patterns_(patterns),
      routes_(routes),
      seed_(seed),
      sync_(all, clock),
      told_(told_ranks(all.size(), kMostTold)),
      told_ranks_(
          all.split(std::binary_search(told_.begin(), told_.end(), all.rank()) ? 0 : -1, all.rank())) {}

std::vector<Lap> Rounds::sample_all(std::uint32_t round) {
  const std::size_t slots = slots_of(patterns_);
  std::vector<Lap> laps(slots);
  for (const Turn& turn : turns_of_round(patterns_, RandomStream(seed_).fork(round))) {
    laps[turn.slot] = sampler_.sample(patterns_[turn.pattern], routes_, 1 + round * slots + turn.slot);
  }
  return laps;
}

std::vector<double> Rounds::decisive_of(const std::vector<double>& times) const {
  std::vector<double> decisive = times;
  for (std::size_t i = 0; i + 1 < patterns_.size(); ++i) {
    if (patterns_[i].exchange != Exchange::kSendReceive) continue;
    const Pattern& twin = patterns_[i + 1];
    for (std::uint32_t repeat = 0; repeat < twin.repeats; ++repeat) {
      double& time = decisive[patterns_[i].slot + repeat];
      time = std::min(time, times[twin.slot + repeat]);
    }
  }
  return decisive;
}

void Rounds::reduce_times(const std::vector<Lap>& laps, RoundResult& result) const {
  result.times = column(laps, &Lap::time, 0.0);
  // The server of a ping-pong took a time as well, but the definition asks for the client's.
  for (const Pattern& one : patterns_) {
    if (one.exchange != Exchange::kPingPong || routes_.pairs[one.route].client == all_.rank()) continue;
    std::fill_n(result.times.begin() + static_cast<std::ptrdiff_t>(one.slot), one.repeats, 0.0);
  }
  result.decisive = decisive_of(result.times);
  result.warm_ups = column(laps, &Lap::warm_up, 0.0);
  for (auto* values : {&result.times, &result.decisive, &result.warm_ups}) {
    all_.reduce_to_root(std::span(*values), mpi::Reduction::kMax);
  }
}

void Rounds::reduce_skews(const std::vector<Lap>& laps, const mpi::ClockModel& model,
                          RoundResult& result) const {
  std::vector<double> first = starts_on(model, laps, kFar);
  result.skews = starts_on(model, laps, -kFar);
  all_.reduce_to_root(std::span(first), mpi::Reduction::kMin);
  all_.reduce_to_root(std::span(result.skews), mpi::Reduction::kMax);
  for (std::size_t slot = 0; slot < first.size(); ++slot) result.skews[slot] -= first[slot];
  result.clock_uncertainty = Seconds(all_.reduce_to_all(model.uncertainty.value(), mpi::Reduction::kMax));
}

void Rounds::reduce_disturbance(const Disturbance& own, RoundResult& result) const {
  const auto worst = [this](double value) { return all_.reduce_to_all(value, mpi::Reduction::kMax); };
  result.disturbance = {.fixed_work = Seconds(worst(own.fixed_work.value())),
                        .wall_over_cpu = worst(own.wall_over_cpu),
                        .steal = Seconds(worst(own.steal.value()))};
}

void Rounds::gather_views(const std::vector<Lap>& laps, const mpi::ClockModel& model, const Disturbance& own,
                          RoundResult& result) const {
  if (!told_ranks_) return;
  const auto times = told_ranks_->gather_rows(column(laps, &Lap::time, kNothing));
  const auto warm_ups = told_ranks_->gather_rows(column(laps, &Lap::warm_up, kNothing));
  const auto clocks = told_ranks_->gather_rows(std::vector<double>{model.origin.value(), model.offset.value(),
                                                                   model.drift, model.uncertainty.value()});
  const auto disturbances = told_ranks_->gather_rows(
      std::vector<double>{own.fixed_work.value(), own.wall_over_cpu, own.steal.value()});
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    const auto& clock = clocks[i];
    const auto& disturbance = disturbances[i];
    result.views.push_back({told_[i],
                            times[i],
                            warm_ups[i],
                            {Seconds(clock[0]), Seconds(clock[1]), clock[2], Seconds(clock[3])},
                            {Seconds(disturbance[0]), disturbance[1], Seconds(disturbance[2])}});
  }
}

RoundResult Rounds::run(std::uint32_t round) {
  RoundResult result;
  sync_.observe();
  const Seconds before = time_fixed_work();
  const RoundWatch watch(clock_, round);
  const std::vector<Lap> laps = sample_all(round);
  const RoundReport report = watch.report();
  const Disturbance own{std::max(before, report.fixed_work), report.wall_over_cpu, report.steal};
  sync_.observe();
  const mpi::ClockModel model = sync_.settle();
  for (const Lap& lap : laps) result.wrong += lap.wrong;
  result.wrong = all_.reduce_to_all(result.wrong, mpi::Reduction::kSum);
  reduce_times(laps, result);
  reduce_skews(laps, model, result);
  reduce_disturbance(own, result);
  gather_views(laps, model, own, result);
  return result;
}

}  // namespace groma::hpcc
