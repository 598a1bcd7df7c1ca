// Whether a thread kept its core during a piece of work: wall time against CPU time.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace groma {

/// Whether a thread that worked for `wall` and got `cpu` of it lost its core: to another thread, to the end
/// of a CPU quota (CFS bandwidth control), to a sleep. Such a time measures the scheduler, not the machine.
bool lost_core(Seconds wall, Seconds cpu);

/// Wall and CPU time of a piece of work on the calling thread, and whether another one ran on its core.
class WorkWatch {
 public:
  /// Starts.
  WorkWatch();
  void stop();
  [[nodiscard]] std::int64_t start_ns() const { return start_; }
  [[nodiscard]] std::int64_t end_ns() const { return end_; }
  [[nodiscard]] Seconds elapsed() const { return between(start_, end_); }
  [[nodiscard]] bool lost_core() const { return groma::lost_core(elapsed(), cpu_); }
  /// However short: what caches held of the work may be gone. A yield to nobody does not count, a sleep does.
  [[nodiscard]] bool left_core() const { return switches_ != 0; }

 private:
  std::int64_t switches_;
  Seconds cpu_;
  std::int64_t start_;
  std::int64_t end_ = 0;
};

}  // namespace groma
