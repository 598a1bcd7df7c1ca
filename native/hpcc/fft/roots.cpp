#include "hpcc/fft/roots.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace groma::hpcc::fft {
namespace {

/// Correct to the last bit or nearly so: the angle is reduced in integers and evaluated in extended
/// precision.
Complex root_of_unity(std::uint64_t exponent, std::uint64_t n) {
  const long double turn = static_cast<long double>(exponent) / static_cast<long double>(n);
  const long double angle = -2.0L * std::numbers::pi_v<long double> * turn;
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

/// Both tables have about as many entries.
std::uint32_t shift_for(std::uint64_t n, std::uint64_t consecutive) {
  const auto half = static_cast<std::uint32_t>(std::bit_width(n)) / 2;
  return std::max(half, static_cast<std::uint32_t>(std::bit_width(consecutive - 1)));
}

}  // namespace

Roots::Roots(std::uint64_t n, std::uint64_t consecutive)
    : order_(n),
      shift_(shift_for(n, std::max<std::uint64_t>(2, consecutive))),
      mask_((std::uint64_t{1} << shift_) - 1),
      low_(mask_ + 1),
      high_((n >> shift_) + 1) {
  for (std::uint64_t i = 0; i < low_.size(); ++i) low_[i] = root_of_unity(i % n, n);
  for (std::uint64_t i = 0; i < high_.size(); ++i) high_[i] = root_of_unity((i << shift_) % n, n);
}

Complex Roots::power_of_product(std::uint64_t a, std::uint64_t b) const {
  return power(product_modulo(a, b, order_));
}

std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % n);
}

}  // namespace groma::hpcc::fft
