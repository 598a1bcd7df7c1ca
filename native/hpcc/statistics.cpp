#include "hpcc/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/quantile.hpp"

namespace groma::hpcc {

namespace {

/// What `summed_up` makes of the values of each rank that gave some.
template <class F>
std::vector<double> by_rank(const Repetitions& repetitions, F summed_up) {
  std::vector<double> all;
  const std::size_t ranks = repetitions.empty() ? 0 : repetitions.front().size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<double> of_rank;
    for (const std::vector<double>& repetition : repetitions) {
      if (!std::isnan(repetition[rank])) of_rank.push_back(repetition[rank]);
    }
    if (!of_rank.empty()) all.push_back(summed_up(std::move(of_rank)));
  }
  return all;
}

}  // namespace

std::vector<double> medians_by_rank(const Repetitions& repetitions) {
  return by_rank(repetitions, [](std::vector<double> values) { return quantile(std::move(values), 0.5); });
}

std::vector<double> bests_by_rank(const Repetitions& repetitions) {
  return by_rank(repetitions, [](const std::vector<double>& values) { return std::ranges::max(values); });
}

Spread spread_of(const std::vector<double>& values) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {kNothing, kNothing, kNothing};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {*least, sum / static_cast<double>(values.size()), *most};
}

Spread spread_of_medians(const Repetitions& repetitions) {
  return spread_of(medians_by_rank(repetitions));
}

}  // namespace groma::hpcc
