// One table over all ranks, updated in repetitions: the run whose updates are asked for is cut into as many
// parts, each is timed and checked by itself, and together they are the whole.
#pragma once

#include <memory>

#include "base/clock.hpp"
#include "randomaccess/algorithm.hpp"

namespace groma::randomaccess {

/// Sums over the parts of a run.
struct RunTotals {
  std::uint64_t updates = 0;
  std::uint64_t wrong = 0;
  Seconds time{0.0};
  Seconds check{0.0};
};

/// What one repetition took, from barrier to barrier.
struct Part {
  std::uint64_t updates;  ///< of all ranks
  Seconds time;
  [[nodiscard]] double per_second() const { return static_cast<double>(updates) / time.value(); }
};

class GlobalRun {
 public:
  /// Collective. `own` are the updates of the whole run that this rank generates. A few are applied and
  /// checked to warm up.
  GlobalRun(const Clock& clock, const Setup& setup, std::unique_ptr<Updater> updater, Section own,
            std::uint64_t parts);

  /// Collective. Part `round` of the run, and from the first again when all are through.
  Part measure(std::uint64_t round);

  /// Collective: sums over all ranks.
  [[nodiscard]] RunTotals totals() const;
  /// Of this rank.
  [[nodiscard]] const Updater& updater() const { return *updater_; }

 private:
  void check(Section part);

  const Clock& clock_;
  Setup setup_;
  std::uint64_t first_;
  std::unique_ptr<Updater> updater_;
  Section own_;
  std::uint64_t parts_;
  RunTotals totals_;
};

}  // namespace groma::randomaccess
