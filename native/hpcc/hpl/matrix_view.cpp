#include "hpcc/hpl/matrix_view.hpp"

#include <algorithm>

namespace groma::hpcc::hpl {
namespace {

constexpr std::int64_t kTile = 8;  // doubles of a cache line

/// Of matrices that lie alike.
void copy_lines(const Matrix& from, const Matrix& to) {
  for (std::int64_t line = 0; line < to.columns; ++line)
    std::copy_n(from.at(0, line), to.rows, to.at(0, line));
}

/// to := from^T
void transpose(const Matrix& from, const Matrix& to) {
  for (std::int64_t j = 0; j < to.columns; ++j) {
    for (std::int64_t i = 0; i < to.rows; ++i) *to.at(i, j) = *from.at(j, i);
  }
}

}  // namespace

void copy(const MatrixView& from, const MatrixView& to) {
  if (from.transposed == to.transposed) {
    copy_lines(from.stored, to.stored);
    return;
  }
  for (std::int64_t i = 0; i < to.rows(); i += kTile) {
    const std::int64_t rows = std::min(kTile, to.rows() - i);
    for (std::int64_t j = 0; j < to.columns(); j += kTile) {
      const std::int64_t columns = std::min(kTile, to.columns() - j);
      transpose(from.part(i, j, rows, columns).stored, to.part(i, j, rows, columns).stored);
    }
  }
}

}  // namespace groma::hpcc::hpl
