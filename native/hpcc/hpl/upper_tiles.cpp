#include "hpcc/hpl/upper_tiles.hpp"

#include <algorithm>

#include "hpcc/hpl/panel_kernels.hpp"
#include "hpcc/hpl/trailing_product.hpp"

namespace groma::hpcc::hpl {

UpperTiles::UpperTiles(std::span<double> memory, std::int64_t rows, std::int64_t columns)
    : words_(memory.data()), rows_(rows), columns_(columns), width_(panel_kernels().tile_columns) {
  const std::int64_t behind = columns_ % width_;
  if (behind == 0) return;
  double* last = tile(columns_ - behind);
  for (std::int64_t row = 0; row < rows_; ++row)
    std::fill(last + row * width_ + behind, last + (row + 1) * width_, 0.0);
}

MatrixView UpperTiles::view(std::int64_t first_column) const {
  return MatrixView::by_rows(tile(first_column), rows_, std::min(width_, columns_ - first_column), width_);
}

void UpperTiles::set_row(std::int64_t row, const double* values) const {
  for (std::int64_t j = 0; j < columns_; j += width_) {
    std::copy_n(values + j, std::min(width_, columns_ - j), tile(j) + row * width_);
  }
}

void UpperTiles::set(const MatrixView& from) const {
  for (std::int64_t j = 0; j < columns_; j += width_)
    copy(from.part(0, j, rows_, view(j).columns()), view(j));
}

void UpperTiles::copy_to(const MatrixView& to) const {
  for (std::int64_t j = 0; j < columns_; j += width_) copy(view(j), to.part(0, j, rows_, view(j).columns()));
}

void UpperTiles::solve(std::span<const double> triangle) const {
  const PanelKernels& kernels = panel_kernels();
  for (std::int64_t j = 0; j < columns_; j += width_) {
    for (std::int64_t i = 0; i < rows_; i += kGroupRows) {
      const std::int64_t count = std::min(kGroupRows, rows_ - i);
      const double* group = triangle.data() + i * rows_;
      double* const mine = tile(j) + i * width_;
      kernels.subtract_tile(group, tile(j), i, {mine, width_, count, width_});
      kernels.solve_tile(group + i * kGroupRows, count, mine);
    }
  }
}

void UpperTiles::subtract_product(const double* lower, const MatrixView& c) const {
  const PanelKernels& kernels = panel_kernels();
  for (std::int64_t i = 0; i < c.rows(); i += kGroupRows) {
    const std::int64_t rows = std::min(kGroupRows, c.rows() - i);
    for (std::int64_t j = 0; j < columns_; j += width_) {
      const MatrixView mine = c.part(i, j, rows, std::min(width_, columns_ - j));
      kernels.subtract_tile(lower + i * rows_, tile(j), rows_, mine.stored);
    }
  }
}

std::vector<double> pack_triangle(const MatrixView& triangle) {
  const std::int64_t width = triangle.rows();
  std::vector<double> by_columns(static_cast<std::size_t>(width * width));
  const MatrixView stored{{by_columns.data(), width, width, width}};
  copy(triangle, stored);
  std::vector<double> packed(static_cast<std::size_t>(packed_words(width, width)));
  pack_lower(stored.stored, packed.data());
  return packed;
}

}  // namespace groma::hpcc::hpl
