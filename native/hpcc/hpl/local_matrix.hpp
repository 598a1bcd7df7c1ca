// The random system [A b] of HPL and the part of it that one rank holds.
#pragma once

#include <cstdint>

#include "base/pages.hpp"
#include "hpcc/hpl/matrix_view.hpp"
#include "hpcc/hpl/process_grid.hpp"

namespace groma::hpcc::hpl {

/// Elements uniform in [-1/2, 1/2) that follow from the seed and their place alone, so that any grid, and the
/// check after the solution, meet the same system. Column n is the right-hand side.
class RandomSystem {
 public:
  RandomSystem(std::int64_t n, std::uint64_t seed) : n_(n), seed_(seed) {}
  [[nodiscard]] std::int64_t n() const { return n_; }
  [[nodiscard]] double element(std::int64_t row, std::int64_t column) const;
  /// out[i] = element(first_row + i, column)
  void elements(std::int64_t first_row, std::int64_t count, std::int64_t column, double* out) const;

 private:
  std::int64_t n_;
  std::uint64_t seed_;
};

/// How n rows and n + 1 columns are dealt out to a grid.
struct Layout {
  BlockCyclic rows;
  BlockCyclic columns;
  static Layout of(const HplCase& one) {
    const auto n = static_cast<std::int64_t>(one.n);
    const auto nb = static_cast<std::int64_t>(one.nb);
    return {{n, nb, one.grid.rows}, {n + 1, nb, one.grid.columns}};
  }
};

/// Stride of rows or columns of so many elements: whole cache lines, and no multiple of 4 KiB, where they
/// would compete for the same cache sets.
std::int64_t padded(std::int64_t length, std::int64_t alignment);

/// This rank's block-cyclic part of [A b], on huge pages. Owned. Its rows are contiguous, so that exchanges
/// of rows move whole cache lines: by columns they moved one element of each line, and took a tenth of the
/// time at N = 6000.
class LocalMatrix {
 public:
  /// Errors: memory. Not collective.
  static Result<LocalMatrix> make(const ProcessGrid& grid, const HplCase& one);

  void fill(const RandomSystem& system);
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] MatrixView all() const { return all_; }
  [[nodiscard]] std::int64_t my_row() const { return my_row_; }
  [[nodiscard]] std::int64_t my_column() const { return my_column_; }
  /// Local rows, or columns, whose global index is below `global`.
  [[nodiscard]] std::int64_t rows_before(std::int64_t global) const {
    return layout_.rows.before(global, my_row_);
  }
  [[nodiscard]] std::int64_t columns_before(std::int64_t global) const {
    return layout_.columns.before(global, my_column_);
  }

 private:
  LocalMatrix(Layout layout, const ProcessGrid& grid, Block memory, const MatrixView& all);

  Layout layout_;
  std::int64_t my_row_;
  std::int64_t my_column_;
  Block memory_;
  MatrixView all_;
};

}  // namespace groma::hpcc::hpl
