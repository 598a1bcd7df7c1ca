// Whether the rounds were disturbed so much that their values cannot be trusted: a pure function.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace groma::hpcc {

/// What disturbed a round, worst rank.
struct Disturbance {
  Seconds fixed_work;          ///< a constant piece of arithmetic
  double wall_over_cpu = 1.0;  ///< ranks that wait for messages spin: 1 where no other process took the core
  Seconds steal;               ///< taken by the hypervisor
};

/// A warning that says what was seen and what to do, where more than a quarter of the rounds were disturbed.
std::optional<Error> verdict_on(const std::vector<Disturbance>& rounds);

}  // namespace groma::hpcc
