// What a rank leaves out, or takes longer for, on purpose: the experiment that finds the bottleneck among the
// roles of a node (Aggarwal et al. 2008, section 5.1). A table that was updated with ranks that leave work
// out is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include "base/clock.hpp"

namespace groma::randomaccess {

/// The extra load is planted to test the experiment, which has to find it.
struct Perturbation {
  bool discards = false;       ///< drops updates that reach it, instead of routing or applying them
  Seconds each_worked{0.0};    ///< more for each update that it generates, routes or applies
  Seconds each_sent{0.0};      ///< more for each update that it sends in a message
  Seconds each_received{0.0};  ///< more for each update that reaches it in a message
  Seconds extra_load{0.0};     ///< as each_worked, unknown to the experiment
};

/// Keeps the calling thread busy. It overshoots by a reading of the clock at most, and by nothing on average:
/// what a call takes too long, the next ones leave out.
class Delay {
 public:
  void spend(std::uint64_t count, Seconds each) {
    due_ += static_cast<double>(count) * each.value() * 1e9;
    if (due_ < 1.0) return;
    const std::int64_t start = monotonic_ns();
    std::int64_t now = start;
    while (static_cast<double>(now - start) < due_) now = monotonic_ns();
    due_ -= static_cast<double>(now - start);
    spent_ += now - start;
  }

  [[nodiscard]] Seconds spent() const { return between(0, spent_); }

 private:
  double due_ = 0.0;  // ns
  std::int64_t spent_ = 0;
};

/// Makes the calling thread sleep, so that others may use its core: extra load shows also with more ranks
/// than cores. It sleeps once for many updates. Time that it overslept is subtracted from the next sleeps.
class SleepDelay {
 public:
  void spend(std::uint64_t count, Seconds each) {
    due_ += static_cast<double>(count) * each.value() * 1e9;
    if (due_ < kLeast) return;
    const std::int64_t start = monotonic_ns();
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(due_)));
    due_ -= static_cast<double>(monotonic_ns() - start);
  }

 private:
  static constexpr double kLeast = 1e5;  // ns; far less than the time for a look-ahead of updates
  double due_ = 0.0;                     // ns
};

/// Spends the time of a perturbation.
class PerturbationDelay {
 public:
  explicit PerturbationDelay(const Perturbation& perturbation) : perturbation_(perturbation) {}

  void worked(std::uint64_t updates) {
    delay_.spend(updates, perturbation_.each_worked);
    extra_load_.spend(updates, perturbation_.extra_load);
  }
  void sent(std::uint64_t updates) { delay_.spend(updates, perturbation_.each_sent); }
  void received(std::uint64_t updates) { delay_.spend(updates, perturbation_.each_received); }

  /// By the experiment.
  [[nodiscard]] Seconds delayed() const { return delay_.spent(); }

 private:
  Perturbation perturbation_;
  Delay delay_;
  SleepDelay extra_load_;
};

}  // namespace groma::randomaccess
