// Where the time of a solution goes, on each rank.
#pragma once

#include "base/clock.hpp"

namespace groma::hpcc::hpl {

struct Phases {
  Seconds panel;       ///< factorization of panels, with its messages
  Seconds broadcast;   ///< waiting for panels, and passing them on
  Seconds exchange;    ///< of rows
  Seconds solve;       ///< of the rows U
  Seconds multiply;    ///< of the trailing matrix
  Seconds substitute;  ///< back substitution
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
