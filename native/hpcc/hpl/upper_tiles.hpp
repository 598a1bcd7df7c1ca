// Some columns of the rows U, in the form in which the kernels of the trailing product take them. Pivot rows
// are gathered into tiles, solved there and multiplied, so that they leave the second-level cache only to be
// kept: apart from each other, the three steps take twice the time that they take so.
#pragma once

#include <span>
#include <vector>

#include "hpcc/hpl/matrix_view.hpp"

namespace groma::hpcc::hpl {

class UpperTiles {
 public:
  /// Columns at once, at most: with 192 rows they take a quarter of a second-level cache of 2 MiB, and fit
  /// half of one of 1 MiB. A multiple of all tile_columns.
  static constexpr std::int64_t kColumns = 240;
  /// Words of memory for `rows` rows.
  static constexpr std::int64_t words(std::int64_t rows) { return kColumns * rows; }

  /// In memory that is not owned, for words(rows) words. The elements are undefined.
  UpperTiles(std::span<double> memory, std::int64_t rows, std::int64_t columns);

  /// `values` are contiguous, one for each column.
  void set_row(std::int64_t row, const double* values) const;
  /// All rows, from a matrix of this shape.
  void set(const MatrixView& from) const;
  /// To a matrix of this shape.
  void copy_to(const MatrixView& to) const;
  /// U := L1^-1 U, where `triangle` is the unit lower triangle L1 as pack_triangle() makes it.
  void solve(std::span<const double> triangle) const;
  /// C := C - L U, where `lower` is packed (trailing_product.hpp). The rows of C are contiguous.
  void subtract_product(const double* lower, const MatrixView& c) const;

 private:
  [[nodiscard]] double* tile(std::int64_t first_column) const { return words_ + first_column * rows_; }
  [[nodiscard]] MatrixView view(std::int64_t first_column) const;

  double* words_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t width_;  ///< of a tile; the last one is filled up with zeros
};

/// The unit lower triangle of `triangle` for UpperTiles::solve().
std::vector<double> pack_triangle(const MatrixView& triangle);

}  // namespace groma::hpcc::hpl
