#include "hpcc/hpl/trailing_product.hpp"

#include <algorithm>

namespace groma::hpcc::hpl {
namespace {

/// Rows that dgemm multiplies at a time: what it packs of them stays in a second-level cache.
constexpr std::int64_t kBlockRows = 1024;

/// Columns of L that are packed together: no more than a first-level TLB has pages for.
constexpr std::int64_t kPackedTogether = 16;

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

void subtract_product_by_blocks(ConstMatrix lower, const MatrixView& upper, const MatrixView& c,
                                const std::function<void()>& after_block) {
  for (std::int64_t i = 0; i < c.rows(); i += kBlockRows) {
    const std::int64_t rows = std::min(kBlockRows, c.rows() - i);
    dgemm(Transposed::kNo, Transposed::kYes, -1.0, upper.stored, lower.part(i, 0, rows, lower.columns), 1.0,
          c.part(i, 0, rows, c.columns()).stored);
    after_block();
  }
}

}  // namespace groma::hpcc::hpl
