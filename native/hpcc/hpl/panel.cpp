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

Result<Panel> Panel::make(const LocalMatrix& matrix, const HplCase& one, bool packed) {
  const auto nb = static_cast<std::int64_t>(one.nb);
  const std::int64_t rows = matrix.all().rows();
  const std::int64_t words = head_words(nb) + (packed ? packed_words(rows, nb) : 0) +
                             padded(rows, static_cast<std::int64_t>(one.method.alignment)) * nb;
  Result<Block> memory =
      Block::map(Bytes(static_cast<std::uint64_t>(words) * sizeof(double)), PageMode::kHuge);
  if (!memory) return memory.error();
  return Panel(std::move(memory).value(), nb, one.method, packed);
}

double* Panel::behind_head() const {
  return memory_.as<double>().data() + head_words(nb_);
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
  const std::int64_t count = matrix.all().rows() - matrix.rows_before(first);
  // Behind the packed rows of the longest panel.
  double* rows = behind_head() + (packed_ ? packed_words(matrix.all().rows(), nb_) : 0);
  rows_ = {rows, count, width_, padded(count, alignment_)};
}

void Panel::pack() const {
  if (packed_) pack_lower(below(), behind_head());
}

std::span<double> Panel::message() const {
  const std::int64_t rows = rows_.rows == 0 ? 0 : rows_.stride * rows_.columns;
  const std::int64_t words = head_words(nb_) + (packed_ ? packed_words(rows_below(), width_) : rows);
  return {memory_.as<double>().data(), static_cast<std::size_t>(words)};
}

}  // namespace groma::hpcc::hpl
