// The BLAS routines that the suite calls, with 64-bit sizes and column-major matrices. Whichever CBLAS was
// found stands behind them; nothing else names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace groma::hpcc {

/// A column-major matrix in memory that is not owned: element (i, j) at data[i + j * stride].
template <class T>
struct MatrixOf {
  T* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;

  [[nodiscard]] T* at(std::int64_t row, std::int64_t column) const { return data + row + column * stride; }
  /// `count_rows` × `count_columns` from (row, column) on.
  [[nodiscard]] MatrixOf part(std::int64_t row, std::int64_t column, std::int64_t count_rows,
                              std::int64_t count_columns) const {
    return {at(row, column), count_rows, count_columns, stride};
  }
  operator MatrixOf<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data, rows, columns, stride};
  }
};
using Matrix = MatrixOf<double>;
using ConstMatrix = MatrixOf<const double>;

enum class Transposed : bool { kNo, kYes };

/// C := alpha op(A) op(B) + beta C
void dgemm(Transposed a_transposed, Transposed b_transposed, double alpha, ConstMatrix a, ConstMatrix b,
           double beta, Matrix c);

enum class Side : bool { kLeft, kRight };
enum class Triangle : bool { kLower, kUpper };
enum class Diagonal : bool { kGiven, kUnit };

/// B := op(A)^-1 B, or B op(A)^-1 on the right, where A is the triangle that is stored of `a`
void dtrsm(Side side, Triangle stored, Transposed transposed, Diagonal diagonal, ConstMatrix a, Matrix b);

/// Threads that the library uses in each call, where it has any.
void set_blas_threads(std::uint32_t threads);

/// Whether so many threads may call the library at once. OpenBLAS maps a buffer for each of them and, where a
/// limit such as that of ulimit -v refuses it, asks for it again for ever (blas_memory_alloc of 0.3.21).
/// Errors: memory.
Status check_blas_room(std::size_t threads);

/// Vendor and version as the library reports them, or "unknown CBLAS".
std::string blas_library();

}  // namespace groma::hpcc
