// From the values of a measuring loop to headline figures: per rank over the repetitions first, over the
// ranks then, so that the spread between ranks is not lost.
#pragma once

#include <vector>

namespace groma::hpcc {

/// Values of one series by repetition, then rank: one entry of `Values`. NaN: the rank had no part.
using Repetitions = std::vector<std::vector<double>>;

/// Median of each rank over the repetitions in which it had a part; ranks without any are left out.
std::vector<double> medians_by_rank(const Repetitions& repetitions);

/// The same of their largest values, for a test whose rule is to keep the best repetition.
std::vector<double> bests_by_rank(const Repetitions& repetitions);

/// Over ranks. All NaN where no rank gave a value.
struct Spread {
  double min;
  double mean;
  double max;
};
Spread spread_of(const std::vector<double>& values);

/// The spread over ranks of their medians. The suite's star values are its mean; a single value, which one
/// rank alone gives, is the mean as well.
Spread spread_of_medians(const Repetitions& repetitions);

}  // namespace groma::hpcc
