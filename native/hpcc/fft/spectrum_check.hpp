// The check of every timed transform: a comparison in which all points of the input and of the spectrum take
// part, at the cost of a pass over each (docs/hpcc/fft.md#validation).
#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "hpcc/fft/roots.hpp"
#include "hpcc/fft/transform.hpp"

namespace groma::hpcc::fft {

/// The spectrum X is the polynomial sum of X[k] z^k. At r = exp(2 pi i (m + f) / n), with 0 < f < 1,
/// geometric sums give its value from the input, too:
///   sum of X[k] r^k = (1 - exp(2 pi i f)) / 2 * sum of x[j] (1 + i cot(pi (m - j + f) / n))
/// Both are compared for a random m and a random f in [1/4, 3/4).
class SpectrumCheck {
 public:
  /// Everything follows from the seed, which is the same on all ranks of `transform`. That outlives this.
  SpectrumCheck(Transform& transform, std::uint64_t seed);

  /// Writes an input that no transform has met and chooses a point. Collective over the transform's ranks.
  void begin();
  /// After one forward transform of this input: the difference of both values over n eps ln n, infinite where
  /// it is no finite number. Collective; the same on every rank.
  [[nodiscard]] double deviation() const;

 private:
  /// r
  struct Point {
    std::uint64_t line = 0;  ///< m
    double beyond = 0.5;     ///< f
    Complex from_line;       ///< exp(-pi i f / n)
    Complex to_next;         ///< exp(-pi i (1 - f) / n)
  };
  static Point point_at(std::uint64_t n, std::uint64_t line, double beyond);
  /// x[j] (1 + i cot(…)) of consecutive points, added up.
  [[nodiscard]] Complex of_input(std::uint64_t first, std::span<const Complex> points) const;
  /// X[first + k] r^k of consecutive points, added up; `powers` of r from 0 on.
  [[nodiscard]] Complex of_spectrum(std::span<const Complex> powers, std::span<const Complex> points) const;
  /// r^k
  [[nodiscard]] Complex power(std::uint64_t k) const;

  Transform& transform_;
  RandomStream random_;
  Roots half_turns_;  ///< exp(-pi i d / n)
  Point point_;
  Complex expected_;
};

}  // namespace groma::hpcc::fft
