// Applies the row exchanges of a panel to columns right of it, all at once: its pivot rows come together as
// the rows U on every rank of a grid column, and the rows that made place for them go where those were.
#pragma once

#include <vector>

#include "hpcc/hpl/gather_rows.hpp"
#include "hpcc/hpl/panel.hpp"

namespace groma::hpcc::hpl {

/// What a sequence of exchanges amounts to, as local rows of their owners; the same on every rank.
struct RowMoves {
  struct Pick {
    std::int64_t upper;  ///< row of U
    std::int64_t local;
  };
  struct Displaced {
    std::int64_t top;  ///< local row of the owner of the diagonal block
    std::int64_t local;
  };
  std::vector<std::vector<Pick>> picks;           ///< pivot rows, by the grid row that has them
  std::vector<std::vector<Displaced>> displaced;  ///< rows of the diagonal block, by where they go

  /// From the pivots of a factored panel.
  static RowMoves of(const Panel& panel, const BlockCyclic& rows);
};

class RowExchange {
 public:
  /// For at most `columns` columns at once. Errors: memory. Not collective.
  static Result<RowExchange> make(const ProcessGrid& grid, const HplCase& one, std::int64_t columns);

  /// Collective over the grid column. Moves rows in `columns`, which hold all local rows; the rows U, not yet
  /// solved, are the result, in the form that the method asks for. They stay until the next call.
  Oriented apply(const Panel& panel, const RowMoves& moves, const Matrix& columns);

 private:
  RowExchange(const ProcessGrid& grid, const HplMethod& method, std::uint64_t words, Block memory)
      : grid_(&grid), method_(&method), words_(words), memory_(std::move(memory)) {}

  [[nodiscard]] std::span<double> part(std::size_t which, std::size_t words) const;
  [[nodiscard]] Oriented upper(std::int64_t width, std::int64_t columns) const;
  void gather(const RowMoves& moves, const Matrix& columns, const Oriented& upper);
  void send_displaced(int owner, const RowMoves& moves, const Matrix& columns);
  void receive_displaced(int owner, const RowMoves& moves, const Matrix& columns);
  [[nodiscard]] bool by_exchange(std::int64_t columns) const;

  const ProcessGrid* grid_;
  const HplMethod* method_;
  std::uint64_t words_;  ///< of each part of the memory: U, pivot rows as gathered, displaced rows
  Block memory_;
};

/// Writes the solved rows U where they belong in the matrix. On ranks of the grid row that has the diagonal
/// block.
void store_upper(const Oriented& upper, const Matrix& top);

}  // namespace groma::hpcc::hpl
