#include "base/sampling.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/disturbance.hpp"
#include "base/quantile.hpp"

namespace groma {
namespace {

using Kept = std::vector<std::vector<double>>;

bool all_settled(const Kept& kept, const SamplingRule& rule) {
  const auto settled = std::count_if(kept.begin(), kept.end(), [&](const std::vector<double>& samples) {
    return is_settled(samples, rule.quantile, rule.tolerance);
  });
  return static_cast<double>(settled) >= rule.settled_share * static_cast<double>(kept.size());
}

bool is_costly(const Task& task) {
  return task.every > 1;
}

/// Tasks whose turn it is, in random order.
template <class Predicate>
std::vector<std::size_t> shuffled_where(std::span<const Task> tasks, Predicate has_turn,
                                        RandomStream& random) {
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t task) { return !has_turn(tasks[task]); });
  shuffle(std::span(order), random);
  return order;
}

// Where a busy machine makes costly tasks costlier still, they must not take the rounds of all others.
constexpr double kCostlyShare = 0.5;

/// Everything that one call of sample_interleaved needs between its rounds.
struct Loop {
  std::span<const Task> tasks;
  const SamplingRule& rule;
  const Clock& clock;
  const std::atomic<bool>& cancelled;
  SampleSink& sink;
  Kept kept;
  Seconds started;
  Seconds spent_on_costly{0.0};

  [[nodiscard]] Seconds elapsed() const { return clock.now() - started; }
  [[nodiscard]] bool over_budget() const { return elapsed() - overspent() >= rule.budget; }
  [[nodiscard]] Seconds overspent() const {
    return std::max(spent_on_costly - rule.budget * kCostlyShare, Seconds(0.0));
  }

  std::vector<std::size_t> order_of_round(std::uint32_t round, RandomStream& random) const {
    const bool affordable = spent_on_costly <= elapsed() * kCostlyShare;
    const auto has_turn = [&](const Task& task) {
      return round % task.every == 0 && (affordable || !is_costly(task));
    };
    return shuffled_where(tasks, has_turn, random);
  }

  void run_task(const Task& task, Recorder& recorder) {
    if (!is_costly(task)) return task.run(recorder);
    const Seconds before = elapsed();
    task.run(recorder);
    spent_on_costly = spent_on_costly + (elapsed() - before);
  }

  [[nodiscard]] std::optional<EndReason> ended_before_task(std::uint32_t round) const {
    if (cancelled.load(std::memory_order_relaxed)) return EndReason::kInterrupted;
    if ((round > 0 || !rule.whole_first_round) && over_budget()) return EndReason::kBudget;
    return std::nullopt;
  }

  /// A round that is cut off reports what it did, unless it did nothing: its samples are kept, and those that
  /// it discarded count as well.
  std::optional<EndReason> run_round(std::uint32_t round, RandomStream& random) {
    const RoundWatch watch(clock, round);
    Recorder recorder(sink, kept, round);
    const std::vector<std::size_t> order = order_of_round(round, random);
    std::size_t done = 0;
    std::optional<EndReason> ended;
    for (; done < order.size() && !(ended = ended_before_task(round)); ++done) {
      run_task(tasks[order[done]], recorder);
    }
    if (ended && done == 0) return ended;
    RoundReport report = watch.report();
    report.discarded = recorder.discarded();
    sink.round(report);
    return ended;
  }

  EndReason run_rounds(RandomStream& random) {
    for (std::uint32_t round = 0; round < rule.max_rounds; ++round) {
      if (const auto ended = run_round(round, random)) return *ended;
      if (round + 1 >= rule.min_rounds && all_settled(kept, rule)) return EndReason::kStable;
    }
    return EndReason::kRounds;
  }
};

}  // namespace

EndReason sample_interleaved(const std::vector<Case>& cases, std::span<const Task> tasks,
                             const SamplingRule& rule, const Clock& clock, const std::atomic<bool>& cancelled,
                             SampleSink& sink) {
  sink.begin(cases);
  RandomStream random(rule.seed);
  Loop loop{tasks, rule, clock, cancelled, sink, Kept(cases.size()), clock.now()};
  const EndReason ended = loop.run_rounds(random);
  sink.end(ended);
  return ended;
}

}  // namespace groma
