// Matrices that may lie transposed in memory, so that one text of an algorithm serves both forms.
#pragma once

#include "hpcc/blas.hpp"

namespace groma::hpcc::hpl {

/// A matrix, or the transposed of what is stored.
struct Oriented {
  Matrix stored;
  Transposed transposed = Transposed::kNo;

  [[nodiscard]] bool turned() const { return transposed == Transposed::kYes; }
  [[nodiscard]] std::int64_t rows() const { return turned() ? stored.columns : stored.rows; }
  [[nodiscard]] std::int64_t columns() const { return turned() ? stored.rows : stored.columns; }
  [[nodiscard]] double& operator()(std::int64_t row, std::int64_t column) const {
    return turned() ? *stored.at(column, row) : *stored.at(row, column);
  }
  [[nodiscard]] std::int64_t row_step() const { return turned() ? stored.stride : 1; }
  [[nodiscard]] std::int64_t column_step() const { return turned() ? 1 : stored.stride; }
  [[nodiscard]] Oriented part(std::int64_t row, std::int64_t column, std::int64_t count_rows,
                              std::int64_t count_columns) const {
    return {turned() ? stored.part(column, row, count_columns, count_rows)
                     : stored.part(row, column, count_rows, count_columns),
            transposed};
  }
};

inline Transposed opposite(Transposed transposed) {
  return transposed == Transposed::kYes ? Transposed::kNo : Transposed::kYes;
}

/// C := alpha A B + beta C
inline void multiply(double alpha, const Oriented& a, const Oriented& b, double beta, const Oriented& c) {
  if (c.turned()) {
    dgemm(opposite(b.transposed), opposite(a.transposed), alpha, b.stored, a.stored, beta, c.stored);
  } else {
    dgemm(a.transposed, b.transposed, alpha, a.stored, b.stored, beta, c.stored);
  }
}

/// C := C - A B
inline void subtract_product(const Oriented& a, const Oriented& b, const Oriented& c) {
  multiply(-1.0, a, b, 1.0, c);
}

/// B := L^-1 B, where L is the unit lower triangle of `lower`.
inline void solve_unit_lower(const Oriented& lower, const Oriented& b) {
  const Triangle stored = lower.turned() ? Triangle::kUpper : Triangle::kLower;
  // B^T := B^T L^-T for a right-hand side that lies transposed.
  const Side side = b.turned() ? Side::kRight : Side::kLeft;
  const Transposed applied = b.turned() ? opposite(lower.transposed) : lower.transposed;
  dtrsm(side, stored, applied, Diagonal::kUnit, lower.stored, b.stored);
}

}  // namespace groma::hpcc::hpl
