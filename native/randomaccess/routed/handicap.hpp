// What a rank leaves out, or takes longer for, on purpose: the experiment that finds the bottleneck among the
// roles of a node (Aggarwal et al. 2008, section 5.1). A table that was updated with ranks that leave work
// out is wrong.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace groma::randomaccess {

struct Handicap {
  bool discards = false;       ///< drops updates that reach it, instead of routing or applying them
  Seconds each_worked{0.0};    ///< more for each update that it generates, routes or applies
  Seconds each_sent{0.0};      ///< more for each update that it sends in a message
  Seconds each_received{0.0};  ///< more for each update that reaches it in a message
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

}  // namespace groma::randomaccess
