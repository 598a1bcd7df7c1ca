#include "survey/network/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "base/disturbance.hpp"
#include "base/quantile.hpp"
#include "mpi/waiting.hpp"

namespace groma::survey::network {
namespace {

/// Samples so far, on the root.
class Book {
 public:
  Book(const Context& context, std::size_t cases, const SamplingRule& rule)
      : context_(context), rule_(rule), kept_(cases) {}

  void keep(std::uint32_t round, const std::vector<Taken>& taken, const RoundReport& report) {
    for (const Taken& one : taken) {
      kept_.at(one.which).push_back(one.value);
      context_.sink.sample(one.which, round, one.value);
    }
    context_.sink.round(report);
    if (round == 0) first_ = report.elapsed;
  }

  /// Why to stop after so many rounds, or nothing.
  [[nodiscard]] std::optional<Ended> finished(std::uint32_t done) const {
    if (done >= rule_.max_rounds) return Ended::kRounds;
    if (done >= rule_.min_rounds && settled()) return Ended::kStable;
    if (!has_time(rule_, done, context_.clock.now() - context_.started, first_)) return Ended::kBudget;
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool settled() const {
    const auto count = std::count_if(kept_.begin(), kept_.end(), [&](const std::vector<double>& samples) {
      return is_settled(samples, rule_.quantile, rule_.tolerance);
    });
    return static_cast<double>(count) >= rule_.settled_share * static_cast<double>(kept_.size());
  }

  const Context& context_;
  const SamplingRule& rule_;
  std::vector<std::vector<double>> kept_;
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
std::vector<Taken> take_round(const Context& context, std::uint32_t number, RandomStream random,
                              const Round& round, RoundReport& report) {
  RoundNotes notes(context.clock);
  const RoundWatch watch(context.clock, number);
  round(random, notes);
  mpi::barrier(context.world, mpi::Waiting::kSleeping);
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
  if (done < kFewestRounds) return true;
  const Seconds after = elapsed + one;
  return done < rule.min_rounds ? after <= rule.budget * 1.5 : after <= rule.budget;
}

Seconds time_left(const Context& context, const SamplingRule& rule) {
  const Seconds left = rule.budget - (context.clock.now() - context.started);
  return Seconds(context.world.broadcast_value(left.value()));
}

void sample_rounds(const Context& context, const std::vector<Case>& cases, const SamplingRule& rule,
                   const Round& round) {
  const bool is_root = context.world.is_root();
  const RandomStream random(rule.seed);
  Book book(context, is_root ? cases.size() : 0, rule);
  RoundReport report;
  take_round(context, 0, random.fork(0), round, report);  // connections and page faults
  if (is_root) context.sink.begin(cases);
  std::optional<Ended> ended;
  for (std::uint32_t number = 0;; ++number) {
    const auto taken = take_round(context, number, random.fork(number + 1), round, report);
    if (is_root) {
      book.keep(number, taken, report);
      ended = book.finished(number + 1);
    }
    if (context.world.broadcast_value(std::int32_t{ended.has_value()}) != 0) break;
  }
  if (is_root) context.sink.end(ended.value_or(Ended::kInterrupted));
}

}  // namespace groma::survey::network
