#include "hpcc/effective_bandwidth/allowance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hpcc/cost.hpp"

namespace groma::hpcc {
namespace {

constexpr double kShareBesideOthers = 0.2;
constexpr double kUsualShare = 0.05;
constexpr Seconds kLeast{1.0};
constexpr Seconds kWithoutEnd{std::numeric_limits<double>::infinity()};

Seconds time_of_round(const Plan& plan, const std::vector<Pattern>& patterns, Seconds allowed) {
  const Pace pace(plan.network, plan.ranks);
  return simulated_round(patterns, urgent_order(patterns, RandomStream(plan.seed)), pace, allowed);
}

}  // namespace

Seconds allowed_time(const Plan& plan, Seconds left) {
  const bool is_alone = plan.tests.size() <= 1;
  const Seconds share = plan.effort.budget * (is_alone ? 1.0 : kShareBesideOthers);
  return std::max(kLeast, std::min(share, left));
}

Seconds usual_time(const Plan& plan) {
  return plan.effort.budget * kUsualShare;
}

Scope scope_of(const Plan& plan, Seconds allowed) {
  return scope_for(plan.network, {allowed, plan.effort.repetitions}, plan.ranks, plan.curves);
}

bool ends_surely(const Plan& plan, const std::vector<Pattern>& patterns, Seconds left) {
  constexpr double kSlower = 3.0;
  return time_of_round(plan, patterns, kWithoutEnd) * kSlower <= left;
}

Scope whole_scope_of(const Plan& plan, Seconds allowed) {
  return whole_scope(plan.network, {allowed, plan.effort.repetitions}, plan.ranks, plan.curves);
}

Seconds time_of_round(const Plan& plan, Scope scope, const Pace& pace) {
  scope.other_states = false;
  const auto patterns = patterns_of(scope);
  return simulated_round(patterns, random_order(patterns, RandomStream(plan.seed)), pace, kWithoutEnd);
}

Seconds time_taken(const Plan& plan, Seconds left) {
  if (plan.ranks == 1) return Seconds(0.0);
  const Seconds allowed = allowed_time(plan, left);
  const auto patterns = patterns_of(scope_of(plan, allowed));
  const Seconds whole = time_of_round(plan, patterns, kWithoutEnd);
  if (whole > allowed) return time_of_round(plan, patterns, allowed);
  const double asked = plan.effort.repetitions;
  const double usual = std::clamp(usual_time(plan) / whole, asked, repetitions(plan, left));
  return whole * std::clamp(std::floor(allowed / whole), 1.0, usual);
}

}  // namespace groma::hpcc
