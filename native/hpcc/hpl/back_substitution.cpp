#include "hpcc/hpl/back_substitution.hpp"

#include "hpcc/hpl/panel_kernels.hpp"

namespace groma::hpcc::hpl {
namespace {

/// Each grid column sums up, for each of its rows, what its own columns contribute; the owner of a diagonal
/// block collects those sums of its rows, solves, and hands x to its column. The sum for the block that comes
/// next goes first, so that its owner solves while the rest is still being added.
class BackSubstitution {
 public:
  BackSubstitution(const ProcessGrid& grid, const LocalMatrix& matrix)
      : grid_(grid),
        matrix_(matrix),
        rows_(matrix.layout().rows),
        remainder_(static_cast<std::size_t>(matrix.all().rows()), 0.0),
        x_(static_cast<std::size_t>(rows_.n), 0.0) {
    const BlockCyclic& columns = matrix.layout().columns;
    if (columns.owner(rows_.n) == matrix.my_column()) {
      const MatrixView b = matrix.all().part(0, columns.local(rows_.n), matrix.all().rows(), 1);
      copy(b, {{remainder_.data(), b.rows(), 1, b.rows()}});
    }
  }

  std::vector<double> run() {
    for (std::int64_t block = (rows_.n - 1) / rows_.block; block >= 0; --block) step(block);
    sending_.clear();
    std::vector<double> all(x_.size());
    const mpi::LargeCount large(x_.size(), MPI_DOUBLE);
    MPI_Allreduce(x_.data(), all.data(), large.count(), large.type(), MPI_SUM, grid_.all().handle());
    return all;
  }

 private:
  struct Block {
    std::int64_t first;
    std::int64_t width;
    bool my_row;
    bool my_column;
  };

  [[nodiscard]] Block at(std::int64_t block) const {
    const std::int64_t first = block * rows_.block;
    return {first, std::min(rows_.block, rows_.n - first), block % rows_.parts == matrix_.my_row(),
            block % matrix_.layout().columns.parts == matrix_.my_column()};
  }

  void step(std::int64_t number) {
    const Block block = at(number);
    const int owner_column = static_cast<int>(number % grid_.columns());
    if (block.my_row && !block.my_column) send_sum(block, owner_column);
    add_rest();
    if (!block.my_column) return;
    std::vector<double> x(static_cast<std::size_t>(block.width));
    if (block.my_row) {
      collect(block);
      x = solve(block);
    }
    grid_.along_column().broadcast(std::span<double>(x), static_cast<int>(number % grid_.rows()));
    add_next(block, std::move(x));
  }

  /// The sums of this rank's rows of a block.
  [[nodiscard]] std::span<double> sums(const Block& block) {
    return std::span<double>(remainder_)
        .subspan(static_cast<std::size_t>(rows_.local(block.first)), static_cast<std::size_t>(block.width));
  }

  void send_sum(const Block& block, int owner_column) {
    const std::span<const double> message = sums(block);
    sending_.push_back(grid_.along_row().start_send(message, owner_column));
  }

  void collect(const Block& block) {
    std::vector<double> part(static_cast<std::size_t>(block.width));
    const std::span<double> sum = sums(block);
    for (int column = 0; column < grid_.columns(); ++column) {
      if (column == grid_.my_column()) continue;
      grid_.along_row().receive(std::span<double>(part), column);
      for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
    }
  }

  std::vector<double> solve(const Block& block) {
    const std::span<double> sum = sums(block);
    std::vector<double> x(sum.begin(), sum.end());
    const MatrixView upper =
        matrix_.all().part(rows_.local(block.first), column_of(block), block.width, block.width);
    solve_upper(upper, {{x.data(), block.width, 1, block.width}});
    std::copy(x.begin(), x.end(), x_.begin() + block.first);
    return x;
  }

  /// What x contributes to the rows of the block above goes in at once; the rest is put off.
  void add_next(const Block& block, std::vector<double> x) {
    const std::int64_t end = matrix_.rows_before(block.first);
    const std::int64_t begin = matrix_.rows_before(std::max<std::int64_t>(0, block.first - rows_.block));
    add(block, x, begin, end);
    rest_ = {block, std::move(x), begin};
  }

  void add_rest() {
    add(rest_.block, rest_.x, 0, rest_.end);
    rest_.end = 0;
  }

  void add(const Block& block, const std::vector<double>& x, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    const MatrixView upper = matrix_.all().part(begin, column_of(block), end - begin, block.width);
    panel_kernels().subtract_dots(upper.stored, x.data(), remainder_.data() + begin);
  }

  [[nodiscard]] std::int64_t column_of(const Block& block) const {
    return matrix_.layout().columns.local(block.first);
  }

  struct Rest {
    Block block{};
    std::vector<double> x;
    std::int64_t end = 0;  ///< of the rows that still lack it
  };

  const ProcessGrid& grid_;
  const LocalMatrix& matrix_;
  BlockCyclic rows_;
  std::vector<double> remainder_;
  std::vector<double> x_;
  Rest rest_;
  std::vector<mpi::Request> sending_;
};

}  // namespace

std::vector<double> substitute_back(const ProcessGrid& grid, const LocalMatrix& matrix) {
  return BackSubstitution(grid, matrix).run();
}

}  // namespace groma::hpcc::hpl
