#include "hpcc/hpl/trailing_product.hpp"

#include <algorithm>

namespace groma::hpcc::hpl {
namespace {

/// Columns of U that are packed together: with 192 rows they take a quarter of a second-level cache of 2 MiB,
/// and fit half of one of 1 MiB. A multiple of all tile_columns.
constexpr std::int64_t kBlockColumns = 240;

/// Rows that dgemm multiplies at a time: what it packs of them stays in a second-level cache.
constexpr std::int64_t kBlockRows = 1024;

/// Columns of L that are packed together: no more than a first-level TLB has pages for.
constexpr std::int64_t kPackedTogether = 16;

/// Rows of U in tiles: for each tile, `width` columns of each row. The last tile is filled up with zeros.
void pack_upper(const ConstMatrix& upper, std::int64_t width, double* packed) {
  for (std::int64_t j = 0; j < upper.rows; j += width) {
    const std::int64_t count = std::min(width, upper.rows - j);
    for (std::int64_t k = 0; k < upper.columns; ++k) {
      std::copy_n(upper.at(j, k), count, packed);
      std::fill_n(packed + count, width - count, 0.0);
      packed += width;
    }
  }
}

/// C := C - L U for packed operands; `c` is stored by rows.
void subtract_tiles(const PanelKernels& kernels, const double* lower, const double* upper, std::int64_t depth,
                    const Matrix& c) {
  for (std::int64_t i = 0; i < c.columns; i += kGroupRows) {
    const std::int64_t rows = std::min(kGroupRows, c.columns - i);
    for (std::int64_t j = 0; j < c.rows; j += kernels.tile_columns) {
      const std::int64_t columns = std::min(kernels.tile_columns, c.rows - j);
      kernels.subtract_tile(lower + i * depth, upper + j * depth, depth, c.part(j, i, columns, rows));
    }
  }
}

}  // namespace

std::int64_t packed_words(std::int64_t rows, std::int64_t columns) {
  return (rows + kGroupRows - 1) / kGroupRows * kGroupRows * columns;
}

void pack_lower(ConstMatrix lower, double* packed) {
  for (std::int64_t k = 0; k < lower.columns; k += kPackedTogether) {
    const std::int64_t columns = std::min(kPackedTogether, lower.columns - k);
    for (std::int64_t i = 0; i < lower.rows; i += kGroupRows) {
      const std::int64_t rows = std::min(kGroupRows, lower.rows - i);
      double* out = packed + i * lower.columns + k * kGroupRows;
      for (std::int64_t c = 0; c < columns; ++c, out += kGroupRows) {
        std::copy_n(lower.at(i, k + c), rows, out);
        std::fill_n(out + rows, kGroupRows - rows, 0.0);
      }
    }
  }
}

std::int64_t upper_scratch_words(std::int64_t nb) {
  return kBlockColumns * nb;
}

void subtract_product_by_blocks(const LowerPart& lower, const MatrixView& upper, const MatrixView& c,
                                std::span<double> scratch, const std::function<void()>& after_block) {
  if (lower.packed == nullptr) {
    for (std::int64_t i = 0; i < c.rows(); i += kBlockRows) {
      const std::int64_t rows = std::min(kBlockRows, c.rows() - i);
      const ConstMatrix part = lower.stored.part(i, 0, rows, lower.stored.columns);
      dgemm(Transposed::kNo, Transposed::kYes, -1.0, upper.stored, part, 1.0,
            c.part(i, 0, rows, c.columns()).stored);
      after_block();
    }
    return;
  }
  const PanelKernels& kernels = panel_kernels();
  for (std::int64_t j = 0; j < c.columns(); j += kBlockColumns) {
    const std::int64_t columns = std::min(kBlockColumns, c.columns() - j);
    pack_upper(upper.part(0, j, upper.rows(), columns).stored, kernels.tile_columns, scratch.data());
    subtract_tiles(kernels, lower.packed, scratch.data(), upper.rows(),
                   c.part(0, j, c.rows(), columns).stored);
    after_block();
  }
}

}  // namespace groma::hpcc::hpl
