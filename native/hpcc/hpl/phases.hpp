// Where the time of a solution goes, on each rank.
#pragma once

#include <array>
#include <string_view>

#include "base/clock.hpp"

namespace groma::hpcc::hpl {

struct Phases {
  Seconds panel;       ///< factorization of panels, with its messages
  Seconds broadcast;   ///< waiting for panels, and passing them on
  Seconds exchange;    ///< of rows
  Seconds solve;       ///< of the rows U
  Seconds multiply;    ///< of the trailing matrix
  Seconds substitute;  ///< back substitution

  static constexpr std::array<std::string_view, 6> kNames = {"panel", "broadcast", "exchange",
                                                             "solve", "multiply",  "substitute"};
  [[nodiscard]] std::array<double, 6> seconds() const {
    return {panel.value(), broadcast.value(), exchange.value(),
            solve.value(), multiply.value(),  substitute.value()};
  }
};

/// Adds the time of its scope to a phase.
class PhaseTimer {
 public:
  explicit PhaseTimer(Seconds& phase) : phase_(phase), start_(monotonic_ns()) {}
  ~PhaseTimer() { phase_ = phase_ + between(start_, monotonic_ns()); }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  Seconds& phase_;
  std::int64_t start_;
};

}  // namespace groma::hpcc::hpl
