// Applies the row exchanges of a panel to columns right of it, all at once: its pivot rows come together as
// the rows U on every rank of a grid column, and the rows that made place for them go where those were.
#pragma once

#include <vector>

#include "hpcc/hpl/gather_rows.hpp"
#include "hpcc/hpl/panel.hpp"
#include "hpcc/hpl/upper_tiles.hpp"

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
  /// For at most `columns` columns at once, by up to `threads` threads. Errors: memory. Not collective.
  static Result<RowExchange> make(const ProcessGrid& grid, const HplCase& one, std::int64_t columns,
                                  std::size_t threads);

  /// On a grid of one row, into tiles. Moves rows in `columns`, which hold all local rows and are those of
  /// `upper`.
  static void apply_alone(const RowMoves& moves, const MatrixView& columns, const UpperTiles& upper);
  /// On a grid of one row. Moves rows in `columns`, which hold all local rows; the result are the pivot rows,
  /// in the form that the method asks for U. They stay until the next call for the same thread.
  MatrixView apply_alone(std::size_t thread, const Panel& panel, const RowMoves& moves,
                         const MatrixView& columns);
  /// The same on any other grid. Collective over the grid column; for its owner thread.
  MatrixView apply(const Panel& panel, const RowMoves& moves, const MatrixView& columns);

  /// Room for solved rows of columns that were exchanged together, on ranks that have no place for them.
  [[nodiscard]] MatrixView spare(std::int64_t width, std::int64_t columns) const;

 private:
  RowExchange(const ProcessGrid& grid, const HplMethod& method, std::uint64_t words, Block memory)
      : grid_(&grid), method_(&method), words_(words), memory_(std::move(memory)) {}

  [[nodiscard]] std::span<double> part(std::size_t which, std::size_t words) const;
  [[nodiscard]] MatrixView pivot_rows(std::size_t which, std::int64_t width, std::int64_t columns) const;
  void gather(const RowMoves& moves, const MatrixView& columns, const MatrixView& upper);
  void send_displaced(int owner, const RowMoves& moves, const MatrixView& columns);
  void receive_displaced(int owner, const RowMoves& moves, const MatrixView& columns);
  [[nodiscard]] bool by_exchange(std::int64_t columns) const;

  const ProcessGrid* grid_;
  const HplMethod* method_;
  std::uint64_t words_;  ///< of each part of the memory: one for each thread, or one for each purpose
  Block memory_;
};

}  // namespace groma::hpcc::hpl
