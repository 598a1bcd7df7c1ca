// The samples of a measuring loop on the root: they go to the sink, and are kept to decide when to stop.
#pragma once

#include <span>
#include <vector>

#include "base/quantile.hpp"
#include "base/samples.hpp"

namespace groma::job {

class SampleLog {
 public:
  explicit SampleLog(SampleSink& sink) : sink_(sink) {}

  /// Of the cases that decide when it is enough: the first `kept`.
  void begin(const std::vector<Case>& cases, std::size_t kept) {
    samples_.assign(kept, {});
    sink_.begin(cases);
  }

  void add(std::size_t which, std::uint32_t round, double value) {
    if (which < samples_.size()) samples_[which].push_back(value);
    sink_.sample(which, round, value);
  }

  void end_round(const RoundReport& report) { sink_.round(report); }

  /// Of the cases that decide.
  [[nodiscard]] std::span<const std::vector<double>> samples() const { return samples_; }

  /// Whether the estimate of quantile `q` has settled within `tolerance` in this share of the cases.
  [[nodiscard]] bool settled(double q, double tolerance, double share = 1.0) const {
    std::size_t count = 0;
    for (const auto& samples : samples_) count += is_settled(samples, q, tolerance) ? 1 : 0;
    return static_cast<double>(count) >= share * static_cast<double>(samples_.size());
  }

 private:
  SampleSink& sink_;
  std::vector<std::vector<double>> samples_;
};

}  // namespace groma::job
