#include "job/settled_median.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/quantile.hpp"

namespace groma::job {
namespace {

constexpr double kDrift = 0.01;      ///< of the median, by the last third of the samples
constexpr double kHalfWidth = 0.05;  ///< of its interval, over the median
constexpr double kTail = 0.025;      ///< of a 95 % interval, on each side

/// Rank from either end, of `n` samples in order, of those that enclose the median with at least 95 %:
/// the number of samples below it is binomial (groma.stats.intervals has the same interval).
std::size_t rank_of_interval(std::size_t n) {
  double probability = std::pow(0.5, static_cast<double>(n));  // that no sample lies below the median
  double cumulated = probability;
  std::size_t rank = 0;
  while (cumulated <= kTail) {
    ++rank;
    probability *= static_cast<double>(n - rank + 1) / static_cast<double>(rank);
    cumulated += probability;
  }
  return rank == 0 ? 0 : rank - 1;
}

/// Width of the interval of the median.
double width_of_interval(std::span<const double> samples) {
  std::vector<double> ordered(samples.begin(), samples.end());
  std::ranges::sort(ordered);
  const std::size_t first = rank_of_interval(ordered.size());
  return ordered[ordered.size() - 1 - first] - ordered[first];
}

}  // namespace

bool is_settled_median(std::span<const double> samples) {
  if (!is_settled(samples, 0.5, kDrift)) return false;
  const double median = quantile({samples.begin(), samples.end()}, 0.5);
  return width_of_interval(samples) <= 2.0 * kHalfWidth * std::abs(median);
}

}  // namespace groma::job
