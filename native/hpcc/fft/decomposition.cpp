#include "hpcc/fft/decomposition.hpp"

#include <algorithm>
#include <cmath>

namespace groma::hpcc::fft {
namespace {

std::uint64_t ceiling(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

std::uint64_t floor_of_root(std::uint64_t n) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n) --root;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

/// Indices that stay together. Whole groups, unless that made the largest part much larger than the mean.
std::uint64_t unit_for(std::uint64_t count, std::uint64_t parts) {
  constexpr std::uint64_t kUnitsForBalance = 16;
  for (std::uint64_t unit = kGroup; unit > 1; unit /= 2) {
    if (count % (unit * parts) == 0 || count >= kUnitsForBalance * unit * parts) return unit;
  }
  return 1;
}

}  // namespace

Shape squarest_shape(std::uint64_t n) {
  std::uint64_t rows = std::max<std::uint64_t>(1, floor_of_root(n));
  while (n % rows != 0) --rows;
  return {rows, n / rows};
}

Partition::Partition(std::uint64_t count, int parts)
    : count_(count), parts_(static_cast<std::uint64_t>(parts)), unit_(unit_for(count, parts_)), largest_(0) {
  for (int part = 0; part < parts; ++part) largest_ = std::max(largest_, of(part).count);
}

Range Partition::of(int part) const {
  const std::uint64_t units = ceiling(count_, unit_);
  const auto p = static_cast<std::uint64_t>(part);
  // The first `longer` parts have one unit more; no product that could overflow.
  const std::uint64_t longer = units % parts_;
  const auto start = [&](std::uint64_t which) {
    return std::min(count_, unit_ * (which * (units / parts_) + std::min(which, longer)));
  };
  return {start(p), start(p + 1) - start(p)};
}

std::uint64_t Partition::groups_of(int part) const {
  return ceiling(of(part).count, kGroup);
}

Range Partition::groups_range(int part, std::uint64_t first, std::uint64_t groups) const {
  const Range own = of(part);
  const std::uint64_t from = std::min(own.count, first * kGroup);
  const std::uint64_t to = std::min(own.count, (first + groups) * kGroup);
  return {own.first + from, to - from};
}

}  // namespace groma::hpcc::fft
