// Roots of unity from two short tables: any power of exp(-2 pi i / n) is the product of two entries.
#pragma once

#include <cstdint>
#include <vector>

#include "hpcc/fft/decomposition.hpp"

namespace groma::hpcc::fft {

class Roots {
 public:
  /// Powers of exp(-2 pi i / n); the lower table holds those below `consecutive` at least.
  Roots(std::uint64_t n, std::uint64_t consecutive);

  [[nodiscard]] std::uint64_t order() const { return order_; }
  /// exponent < n.
  [[nodiscard]] Complex power(std::uint64_t exponent) const {
    const Complex high = high_[exponent >> shift_];
    const Complex low = low_[exponent & mask_];
    return {high.real() * low.real() - high.imag() * low.imag(),
            high.real() * low.imag() + high.imag() * low.real()};
  }
  /// a b < n^2, taken modulo n.
  [[nodiscard]] Complex power_of_product(std::uint64_t a, std::uint64_t b) const;
  /// The powers 0, 1, 2, … as an array.
  [[nodiscard]] const Complex* consecutive() const { return low_.data(); }

 private:
  std::uint64_t order_;
  std::uint32_t shift_;
  std::uint64_t mask_;
  std::vector<Complex> low_;
  std::vector<Complex> high_;
};

/// a b modulo n without overflow.
std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t n);

}  // namespace groma::hpcc::fft
