#include "survey/network/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "base/disturbance.hpp"
#include "job/sample_log.hpp"
#include "mpi/wait.hpp"

namespace groma::survey::network {
namespace {

/// The root's part of the loop.
class Rounds {
 public:
  Rounds(const Context& context, const std::vector<Case>& cases, const SamplingRule& rule)
      : context_(context), rule_(rule), log_(context.sink) {
    log_.begin(cases, cases.size());
  }

  void take(std::uint32_t round, const std::vector<RankSample>& taken, const RoundReport& report) {
    for (const RankSample& one : taken) log_.add(one.which, round, one.value);
    log_.end_round(report);
    if (round == 0) first_ = report.elapsed;
  }

  /// Why to stop after so many rounds, or nothing.
  [[nodiscard]] std::optional<EndReason> finished(std::uint32_t done) const {
    if (done >= rule_.max_rounds) return EndReason::kRounds;
    if (done >= rule_.min_rounds && log_.settled(rule_.quantile, rule_.tolerance, rule_.settled_share)) {
      return EndReason::kStable;
    }
    if (!has_time(rule_, done, context_.clock.now() - context_.started, first_)) return EndReason::kBudget;
    return std::nullopt;
  }

 private:
  const Context& context_;
  const SamplingRule& rule_;
  job::SampleLog log_;
  Seconds first_{0.0};
};

/// What disturbed this rank worst, over all ranks.
RoundReport worst_of(const mpi::Communicator& world, const RoundReport& own) {
  const auto worst = [&](double value) { return world.reduce_to_all(value, mpi::Reduction::kMax); };
  return {.round = own.round,
          .elapsed = own.elapsed,
          .fixed_work = Seconds(worst(own.fixed_work.value())),
          .wall_over_cpu = worst(own.wall_over_cpu),
          .steal = Seconds(worst(own.steal.value()))};
}

/// Collective. What was taken, on the root; how long it took and what disturbed it.
std::vector<RankSample> take_round(const Context& context, std::uint32_t number, RandomStream random,
                                   const Round& round, RoundReport& report) {
  RoundNotes notes(context.clock);
  const RoundWatch watch(context.clock, number);
  round(random, notes);
  mpi::barrier(context.world, mpi::WaitPolicy::kSleep);
  report = watch.report();
  report.wall_over_cpu = notes.wall_over_cpu();
  report = worst_of(context.world, report);
  return context.world.gather_lists(std::span(notes.taken()));
}

}  // namespace

std::vector<std::size_t> shuffled_indices(std::size_t count, RandomStream& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span(order), random);
  return order;
}

SamplingRule median_rule(const Context& context, std::uint32_t least_rounds) {
  SamplingRule rule = context.parameters.rule();
  rule.quantile = 0.5;
  rule.min_rounds = std::min(least_rounds, rule.max_rounds);
  return rule;
}

bool has_time(const SamplingRule& rule, std::uint32_t done, Seconds elapsed, Seconds one) {
  if (done < kGuaranteedRounds) return true;
  const Seconds after = elapsed + one;
  return done < rule.min_rounds ? after <= rule.budget * 1.5 : after <= rule.budget;
}

Seconds time_left(const Context& context, const SamplingRule& rule) {
  const Seconds left = rule.budget - (context.clock.now() - context.started);
  return Seconds(context.world.broadcast_value(left.value()));
}

void sample_rounds(const Context& context, const std::vector<Case>& cases, const SamplingRule& rule,
                   const Round& round) {
  const RandomStream random(rule.seed);
  RoundReport report;
  take_round(context, 0, random.fork(0), round, report);  // connections and page faults
  std::optional<Rounds> rounds;
  if (context.world.is_root()) rounds.emplace(context, cases, rule);
  std::optional<EndReason> ended;
  for (std::uint32_t number = 0;; ++number) {
    const auto taken = take_round(context, number, random.fork(number + 1), round, report);
    if (rounds) {
      rounds->take(number, taken, report);
      ended = rounds->finished(number + 1);
    }
    if (context.world.broadcast_value(std::int32_t{ended.has_value()}) != 0) break;
  }
  if (rounds) context.sink.end(ended.value_or(EndReason::kInterrupted));
}

}  // namespace groma::survey::network
