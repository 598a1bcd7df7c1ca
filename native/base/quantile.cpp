#include "base/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace groma {

double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double rank = std::clamp(q, 0.0, 1.0) * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(rank));
  std::nth_element(samples.begin(), samples.begin() + below, samples.end());
  const double low = samples[static_cast<std::size_t>(below)];
  if (static_cast<std::size_t>(below) + 1 == samples.size()) return low;
  const double high = *std::min_element(samples.begin() + below + 1, samples.end());
  return low + (rank - static_cast<double>(below)) * (high - low);
}

bool is_settled(std::span<const double> samples, double q, double tolerance) {
  if (samples.size() < 6) return false;
  const auto earlier = samples.first(samples.size() - samples.size() / 3);
  const double now = quantile({samples.begin(), samples.end()}, q);
  const double before = quantile({earlier.begin(), earlier.end()}, q);
  return std::abs(now - before) <= tolerance * std::abs(now);
}

}  // namespace groma
