// Matrices that may lie transposed in memory, so that one algorithm serves both forms.
#pragma once

#include "hpcc/blas.hpp"

namespace groma::hpcc::hpl {

/// A view of a matrix that is stored as it is or transposed.
struct MatrixView {
  Matrix stored;
  Transposed transposed = Transposed::kNo;

  /// Of a matrix with contiguous rows, `stride` elements apart.
  static MatrixView by_rows(double* data, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
    return {{data, columns, rows, stride}, Transposed::kYes};
  }

  [[nodiscard]] bool is_transposed() const { return transposed == Transposed::kYes; }
  [[nodiscard]] std::int64_t rows() const { return is_transposed() ? stored.columns : stored.rows; }
  [[nodiscard]] std::int64_t columns() const { return is_transposed() ? stored.rows : stored.columns; }
  [[nodiscard]] double& operator()(std::int64_t row, std::int64_t column) const {
    return is_transposed() ? *stored.at(column, row) : *stored.at(row, column);
  }
  [[nodiscard]] std::int64_t row_step() const { return is_transposed() ? stored.stride : 1; }
  [[nodiscard]] std::int64_t column_step() const { return is_transposed() ? 1 : stored.stride; }
  [[nodiscard]] MatrixView part(std::int64_t row, std::int64_t column, std::int64_t count_rows,
                                std::int64_t count_columns) const {
    return {is_transposed() ? stored.part(column, row, count_columns, count_rows)
                            : stored.part(row, column, count_rows, count_columns),
            transposed};
  }
};

inline Transposed opposite(Transposed transposed) {
  return transposed == Transposed::kYes ? Transposed::kNo : Transposed::kYes;
}

inline Triangle opposite(Triangle triangle) {
  return triangle == Triangle::kLower ? Triangle::kUpper : Triangle::kLower;
}

/// to := from, of the same shape, in tiles of cache lines where one of them lies transposed.
void copy(const MatrixView& from, const MatrixView& to);

/// C := alpha A B + beta C
inline void multiply(double alpha, const MatrixView& a, const MatrixView& b, double beta,
                     const MatrixView& c) {
  if (c.is_transposed()) {
    dgemm(opposite(b.transposed), opposite(a.transposed), alpha, b.stored, a.stored, beta, c.stored);
  } else {
    dgemm(a.transposed, b.transposed, alpha, a.stored, b.stored, beta, c.stored);
  }
}

/// C := C - A B
inline void subtract_product(const MatrixView& a, const MatrixView& b, const MatrixView& c) {
  multiply(-1.0, a, b, 1.0, c);
}

/// B := T^-1 B, where T is that triangle of `matrix`.
inline void solve_triangle(const MatrixView& matrix, Triangle triangle, Diagonal diagonal,
                           const MatrixView& b) {
  const Triangle stored = matrix.is_transposed() ? opposite(triangle) : triangle;
  // B^T := B^T T^-T for a right-hand side that is stored transposed.
  const Side side = b.is_transposed() ? Side::kRight : Side::kLeft;
  const Transposed applied = b.is_transposed() ? opposite(matrix.transposed) : matrix.transposed;
  dtrsm(side, stored, applied, diagonal, matrix.stored, b.stored);
}

/// B := L^-1 B, where L is the unit lower triangle of `lower`.
inline void solve_unit_lower(const MatrixView& lower, const MatrixView& b) {
  solve_triangle(lower, Triangle::kLower, Diagonal::kUnit, b);
}

/// B := U^-1 B, where U is the upper triangle of `upper`.
inline void solve_upper(const MatrixView& upper, const MatrixView& b) {
  solve_triangle(upper, Triangle::kUpper, Diagonal::kGiven, b);
}

}  // namespace groma::hpcc::hpl
