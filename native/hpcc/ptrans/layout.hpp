// Where the elements of a square matrix lie in a block-cyclic distribution over a grid of ranks, and which of
// them ranks exchange when it is transposed (Choi, Dongarra, Walker 1995; docs/hpcc/ptrans.md).
#pragma once

#include <cstdint>
#include <vector>

#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// Rows or columns in blocks, which go to the parts in turn.
class BlockDistribution {
 public:
  BlockDistribution(std::uint64_t n, std::uint64_t nb, int parts)
      : n_(n), nb_(nb), parts_(static_cast<std::uint64_t>(parts)) {}

  [[nodiscard]] std::uint64_t parts() const { return parts_; }
  [[nodiscard]] std::uint64_t blocks() const { return (n_ + nb_ - 1) / nb_; }
  /// Elements of one block: the last may be shorter.
  [[nodiscard]] std::uint64_t size(std::uint64_t block) const;
  /// Number of its first element, among all and among those of its part.
  [[nodiscard]] std::uint64_t start(std::uint64_t block) const { return block * nb_; }
  [[nodiscard]] std::uint64_t local_start(std::uint64_t block) const { return block / parts_ * nb_; }
  /// Elements of one part.
  [[nodiscard]] std::uint64_t local_size(std::uint64_t part) const;

 private:
  std::uint64_t n_;
  std::uint64_t nb_;
  std::uint64_t parts_;
};

/// The blocks of C of rank `to` whose transposes rank `from` holds. Rows of blocks: `row`, row + step, … and
/// likewise columns; the step is the least common multiple of the sides of the grid.
struct Share {
  int from;
  int to;
  std::uint64_t row;
  std::uint64_t column;
  std::uint64_t step;
};

/// Ranks in the grid row by row, as the suite numbers them; local matrices by columns.
class Layout {
 public:
  explicit Layout(const PtransCase& of)
      : grid_(of.grid), rows_(of.n, of.nb, of.grid.rows), columns_(of.n, of.nb, of.grid.columns) {}

  [[nodiscard]] const BlockDistribution& rows() const { return rows_; }
  [[nodiscard]] const BlockDistribution& columns() const { return columns_; }
  [[nodiscard]] int ranks() const { return grid_.ranks(); }
  [[nodiscard]] std::uint64_t row_of(int rank) const {
    return static_cast<std::uint64_t>(rank / grid_.columns);
  }
  [[nodiscard]] std::uint64_t column_of(int rank) const {
    return static_cast<std::uint64_t>(rank % grid_.columns);
  }

  [[nodiscard]] std::uint64_t local_rows(int rank) const { return rows_.local_size(row_of(rank)); }
  [[nodiscard]] std::uint64_t local_columns(int rank) const { return columns_.local_size(column_of(rank)); }
  /// Elements from one column of a local matrix to the next: whole cache lines, and not a power of two.
  [[nodiscard]] std::uint64_t stride(int rank) const;
  /// Elements that a local matrix takes.
  [[nodiscard]] std::uint64_t local_elements(int rank) const { return stride(rank) * local_columns(rank); }

  /// All shares that `to` receives, its own among them, none of them empty. It begins with the rank after
  /// itself, so that not all ranks turn to the same one at once.
  [[nodiscard]] std::vector<Share> shares_to(int to) const;
  /// All shares that `from` gives.
  [[nodiscard]] std::vector<Share> shares_from(int from) const;

  /// Blocks of a share along its rows and its columns.
  [[nodiscard]] std::uint64_t blocks_down(const Share& share) const;
  [[nodiscard]] std::uint64_t blocks_across(const Share& share) const;

 private:
  [[nodiscard]] int rank_at(std::uint64_t row, std::uint64_t column) const;

  Grid grid_;
  BlockDistribution rows_;
  BlockDistribution columns_;
};

}  // namespace groma::hpcc
