// Makes the rows U of pivot rows: L1 U = R, by products with inverses of the diagonal blocks of L1. Products
// run at the rate of dgemm, which dtrsm of this width does not, and put U where it belongs without a copy.
// Partial pivoting keeps L1 well-conditioned; the residual check would fail if it were not.
#pragma once

#include <vector>

#include "hpcc/hpl/matrix_view.hpp"

namespace groma::hpcc::hpl {

class UpperSolver {
 public:
  /// For the unit lower triangle of `triangle`, which must live as long as solve() is called.
  void prepare(const MatrixView& triangle);

  /// target := L1^-1 rows. `rows` is overwritten. Thread-safe.
  void solve(const MatrixView& rows, const MatrixView& target) const;

 private:
  struct Part {
    std::int64_t begin;
    std::int64_t count;
  };
  [[nodiscard]] Matrix inverse_of(const Part& part) const;

  MatrixView triangle_{};
  std::vector<Part> parts_;
  mutable std::vector<double> inverses_;
};

}  // namespace groma::hpcc::hpl
