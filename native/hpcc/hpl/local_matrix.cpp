#include "hpcc/hpl/local_matrix.hpp"

#include "base/random.hpp"

namespace groma::hpcc::hpl {
namespace {

double uniform(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits) >> 11U) * 0x1p-53;
}

}  // namespace

void RandomSystem::elements(std::int64_t first_row, std::int64_t count, std::int64_t column,
                            double* out) const {
  RandomStream stream(seed_);
  stream.skip(static_cast<std::uint64_t>(column) * static_cast<std::uint64_t>(n_) +
              static_cast<std::uint64_t>(first_row));
  for (std::int64_t i = 0; i < count; ++i) out[i] = uniform(stream.next());
}

double RandomSystem::element(std::int64_t row, std::int64_t column) const {
  double value = 0.0;
  elements(row, 1, column, &value);
  return value;
}

std::int64_t padded(std::int64_t length, std::int64_t alignment) {
  constexpr std::int64_t kPage = 512;  // doubles
  const std::int64_t line = std::max<std::int64_t>(alignment, 8);
  const std::int64_t whole = (std::max<std::int64_t>(length, 1) + line - 1) / line * line;
  return whole % kPage == 0 ? whole + line : whole;
}

LocalMatrix::LocalMatrix(Layout layout, const ProcessGrid& grid, Block memory, const MatrixView& all)
    : layout_(layout),
      my_row_(grid.my_row()),
      my_column_(grid.my_column()),
      memory_(std::move(memory)),
      all_(all) {}

Result<LocalMatrix> LocalMatrix::make(const ProcessGrid& grid, const HplCase& one) {
  const Layout layout = Layout::of(one);
  const std::int64_t rows = layout.rows.count(grid.my_row());
  const std::int64_t columns = layout.columns.count(grid.my_column());
  const std::int64_t stride = padded(columns, static_cast<std::int64_t>(one.method.alignment));
  const auto words = static_cast<std::uint64_t>(stride * std::max<std::int64_t>(rows, 1));
  Result<Block> memory = Block::map(Bytes(words * sizeof(double)), PageMode::kHuge);
  if (!memory) return memory.error();
  const MatrixView all = MatrixView::by_rows(memory.value().as<double>().data(), rows, columns, stride);
  return LocalMatrix(layout, grid, std::move(memory).value(), all);
}

void LocalMatrix::fill(const RandomSystem& system) {
  constexpr std::int64_t kTogether = 8;  // columns: a cache line of each row
  const std::int64_t block = layout_.rows.block;
  std::vector<double> drawn(static_cast<std::size_t>(block * kTogether));
  for (std::int64_t j = 0; j < all_.columns(); j += kTogether) {
    const std::int64_t columns = std::min(kTogether, all_.columns() - j);
    for (std::int64_t i = 0; i < all_.rows(); i += block) {
      const std::int64_t rows = std::min(block, all_.rows() - i);
      const Matrix tile{drawn.data(), rows, columns, block};
      for (std::int64_t c = 0; c < columns; ++c) {
        system.elements(layout_.rows.global(i, my_row_), rows, layout_.columns.global(j + c, my_column_),
                        tile.at(0, c));
      }
      copy({tile}, all_.part(i, j, rows, columns));
    }
  }
}

}  // namespace groma::hpcc::hpl
