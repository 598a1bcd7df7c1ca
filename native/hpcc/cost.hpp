// The cost of a test, which the test computes from the plan alone: memory on the fullest rank, and time.
// Helpers that all tests share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// Pure functions. `words`: doubles that the fullest rank holds. `time`: by plan.rates, with warm-up,
/// repetitions and validation, where `left` of the budget is left as the test begins.
struct CostModel {
  double (*words)(const Plan& plan) = nullptr;
  Seconds (*time)(const Plan& plan, Seconds left) = nullptr;
};

constexpr double real(std::uint64_t count) {
  return static_cast<double>(count);
}

/// Bytes of so many doubles.
constexpr double bytes_of_words(double words) {
  return sizeof(double) * words;
}

/// Timed runs on a quiet machine: those that are asked for, and on until the median of a few figures has
/// settled, where anything of the budget is left.
inline double repetitions(const Plan& plan, Seconds left) {
  constexpr double kUsual = 7.0;
  const double asked = plan.effort.repetitions;
  return left > Seconds(0.0) ? std::max(asked, kUsual) : asked;
}

/// What a test of short repetitions, of which many fit, takes at most from the budget that all tests share: a
/// fifteenth, and a few seconds of a small budget.
inline Seconds time_of_short_test(const Plan& plan) {
  constexpr double kShare = 1.0 / 15.0;
  constexpr Seconds kLeast{4.0};
  return std::max(kLeast, plan.effort.budget * kShare);
}

/// Time in which one thread makes random words, or makes them again to compare.
constexpr Seconds time_to_generate(double words) {
  return Seconds(2e-9 * words);
}

/// Time in which words pass through memory.
inline Seconds time_to_stream(double words, const Rates& rates) {
  return Seconds(bytes_of_words(words) / rates.bandwidth);
}

}  // namespace groma::hpcc
