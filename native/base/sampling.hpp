// The sampling loop of every probe (reference: docs/measuring.md): short samples, many rounds, tasks in a
// new random order each round, stop when the low quantile of every case is settled or the budget is spent.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/samples.hpp"

namespace groma {

struct SamplingRule {
  Seconds budget{1.0};
  std::uint32_t min_rounds = 6;
  std::uint32_t max_rounds = 40;
  double quantile = 0.05;       ///< whose estimate must settle: low where noise only adds, 0.5 elsewhere
  double tolerance = 0.02;      ///< relative
  double settled_share = 0.95;  ///< of the cases
  std::uint64_t seed = 1;
  /// Every case has at least one sample even on a tiny budget. Not where thousands of like cases would take
  /// many times the budget: their order is random, so that those measured are a fair sample.
  bool whole_first_round = true;
};

/// Passed to each task: where its samples go. A task may sample several cases.
class Recorder {
 public:
  Recorder(SampleSink& sink, std::vector<std::vector<double>>& kept, std::uint32_t round)
      : sink_(sink), kept_(kept), round_(round) {}
  void sample(std::size_t which, double value) {
    kept_.at(which).push_back(value);
    sink_.sample(which, round_, value);
  }
  /// Instead of samples that say nothing about the machine, because a thread lost its core meanwhile.
  void discard(std::uint32_t samples = 1) { discarded_ += samples; }
  [[nodiscard]] std::uint32_t round() const { return round_; }
  [[nodiscard]] std::uint32_t discarded() const { return discarded_; }

 private:
  SampleSink& sink_;
  std::vector<std::vector<double>>& kept_;
  std::uint32_t round_;
  std::uint32_t discarded_ = 0;
};

struct Task {
  std::function<void(Recorder&)> run;
  /// Runs in each round whose number is a multiple of this. More than one marks a costly task: those together
  /// get no new turn while they have taken more than half of the time, and what their first turns take beyond
  /// half of the budget is not charged to the others.
  std::uint32_t every = 1;
};

/// Runs `tasks` and reports to `sink`; polls `cancelled` between tasks. Calls begin() and end() of the sink
/// itself.
EndReason sample_interleaved(const std::vector<Case>& cases, std::span<const Task> tasks,
                             const SamplingRule& rule, const Clock& clock, const std::atomic<bool>& cancelled,
                             SampleSink& sink);

}  // namespace groma
