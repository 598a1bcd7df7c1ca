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
  constexpr std::size_t kMostHalvings = 1000;  // at once: 0.5^1075 is 0
  double probability = 1.0;                    // that no sample lies below the median, times 2^halvings
  double cumulated = probability;
  std::size_t halvings = n;
  std::size_t rank = 0;
  while (true) {
    for (; cumulated > kTail && halvings > 0; halvings -= std::min(halvings, kMostHalvings)) {
      const int now = -static_cast<int>(std::min(halvings, kMostHalvings));
      probability = std::ldexp(probability, now);
      cumulated = std::ldexp(cumulated, now);
    }
    if (cumulated > kTail) return rank == 0 ? 0 : rank - 1;
    ++rank;
    probability *= static_cast<double>(n - rank + 1) / static_cast<double>(rank);
    cumulated += probability;
  }
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
