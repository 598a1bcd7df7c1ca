// The matrices of DGEMM in one rank, the product that is timed, and the check of each product
// (docs/hpcc/dgemm.md#validation).
#pragma once

#include <cstdint>
#include <vector>

#include "base/pages.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "hpcc/blas.hpp"

namespace groma::hpcc {

/// C := 0.42 A B + C
constexpr double kProductFactor = 0.42;
using MultiplyAdd = void (*)(ConstMatrix a, ConstMatrix b, Matrix c);
/// By the BLAS.
void multiply_add(ConstMatrix a, ConstMatrix b, Matrix c);

/// n x n, elements uniform in [-1/2, 1/2). Not thread-safe.
class Operands {
 public:
  /// Errors: memory. n is at least 1.
  static Result<Operands> make(std::uint64_t n, std::uint64_t seed);

  void multiply(MultiplyAdd by = multiply_add) {
    by(a_, b_, c_);
    ++products_;
  }
  [[nodiscard]] double flops() const;

  /// Freivalds 1979, for the latest product: the largest element of C x - (0.42 A (B x) + C0 x), where C0 is
  /// C as the check before left it, over eps n (n + k)/4 after k products. Due after every product. Costs n^2
  /// multiplications: x is the same every time, so that the other two vectors are known. A and B must still
  /// be those of the start.
  double deviation();

  [[nodiscard]] Matrix a() const { return a_; }
  [[nodiscard]] Matrix b() const { return b_; }
  [[nodiscard]] Matrix c() const { return c_; }

 private:
  Operands(Block memory, std::uint64_t n, std::uint64_t seed);

  Block memory_;
  Matrix a_;
  Matrix b_;
  Matrix c_;
  std::uint64_t products_ = 0;
  std::vector<double> x_;
  std::vector<double> of_product_;  ///< 0.42 A (B x)
  std::vector<double> of_c_;        ///< C x after the latest check
};

}  // namespace groma::hpcc
