#include "hpcc/hpl/panel.hpp"

namespace groma::hpcc::hpl {
namespace {

std::int64_t whole_lines(std::int64_t words) {
  return (words + 7) / 8 * 8;
}

/// Words before the rows: the triangle and the pivots.
std::int64_t head_words(std::int64_t nb) {
  return whole_lines(nb * nb) + whole_lines(nb);
}

}  // namespace

Result<Panel> Panel::make(const LocalMatrix& matrix, const HplCase& one) {
  const auto nb = static_cast<std::int64_t>(one.nb);
  const auto alignment = static_cast<std::int64_t>(one.method.alignment);
  const std::int64_t words = head_words(nb) + padded(matrix.all().rows, alignment) * nb;
  Result<Block> memory =
      Block::map(Bytes(static_cast<std::uint64_t>(words) * sizeof(double)), PageMode::kHuge);
  if (!memory) return memory.error();
  return Panel(std::move(memory).value(), nb, one.method.lower_transposed, alignment);
}

void Panel::begin(const LocalMatrix& matrix, std::int64_t first) {
  const Layout& layout = matrix.layout();
  first_ = first;
  width_ = std::min(nb_, layout.rows.n - first);
  owner_row_ = static_cast<int>(layout.rows.owner(first));
  owner_column_ = static_cast<int>(layout.columns.owner(first));
  has_top_ = owner_row_ == matrix.my_row();
  double* words = memory_.as<double>().data();
  triangle_ = {{words, width_, width_, width_}, transposed_ ? Transposed::kYes : Transposed::kNo};
  pivots_ = {words + whole_lines(nb_ * nb_), static_cast<std::size_t>(width_)};
  const std::int64_t count = matrix.all().rows - matrix.rows_before(first);
  rows_ = {words + head_words(nb_), count, width_, padded(count, alignment_)};
}

std::span<double> Panel::message() const {
  const std::int64_t rows = rows_.rows == 0 ? 0 : rows_.stride * rows_.columns;
  return {memory_.as<double>().data(), static_cast<std::size_t>(head_words(nb_) + rows)};
}

}  // namespace groma::hpcc::hpl
