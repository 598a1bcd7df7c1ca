// How much of the budget falls to the effective bandwidth, and how long it is expected to take. Pure
// functions of the plan.
#pragma once

#include "hpcc/effective_bandwidth/schedule.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// For the rounds that are asked for, where `left` of the budget is left: all of it for a run of this test
/// alone, else a fifth of the budget; a second at least.
Seconds allowed_time(const Plan& plan, Seconds left);

/// For rounds beyond those that are asked for.
Seconds usual_time(const Plan& plan);

/// What is measured within the time allowed.
Scope scope_of(const Plan& plan, Seconds allowed);

/// A round is expected to end long before `left`: its samples may come in any order.
bool ends_surely(const Plan& plan, const std::vector<Pattern>& patterns, Seconds left);

/// The definition, as far as it depends on the plan.
Scope whole_scope_of(const Plan& plan, Seconds allowed);

/// One round in the buffers of the definition, at the pace so far.
Seconds time_of_round(const Plan& plan, Scope scope, const Pace& pace);

/// Of all rounds, where `left` of the budget is left; nothing for a single rank.
Seconds time_taken(const Plan& plan, Seconds left);

}  // namespace groma::hpcc
