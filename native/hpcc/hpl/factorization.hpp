// LU factorization with row partial pivoting of the block-cyclic matrix, right-looking. With a look-ahead of
// depth d, d panels right of the current one are factored and under way while the trailing matrix is still
// being updated.
#pragma once

#include "base/thread_pool.hpp"
#include "hpcc/hpl/broadcast.hpp"
#include "hpcc/hpl/phases.hpp"
#include "hpcc/hpl/row_exchange.hpp"

namespace groma::hpcc::hpl {

/// Columns that one thread exchanges, solves and multiplies at a time, at most.
constexpr std::int64_t kWidestStrip = 4096;

struct WorkspaceOptions {
  std::size_t threads;
  bool packed;  ///< whether L is packed, for tiles of U (upper_tiles.hpp); the same on all ranks
};

/// The memory that a factorization needs besides the matrix.
struct Workspace {
  std::vector<Panel> panels;  ///< one, and one more for each step of look-ahead
  RowExchange rows;
  RowExchange rows_ahead;   ///< of the columns of one panel, for a look-ahead deeper than 1
  Block upper_tiles;        ///< those of each thread
  std::size_t tiles_words;  ///< of each thread

  /// Errors: memory. Not collective. Refers to `grid` and `one`, which must outlive it.
  static Result<Workspace> make(const ProcessGrid& grid, const HplCase& one, const LocalMatrix& matrix,
                                const WorkspaceOptions& options);
  [[nodiscard]] std::span<double> tiles_of(std::size_t thread) const {
    return upper_tiles.as<double>().subspan(thread * tiles_words, tiles_words);
  }
};

/// Collective over the grid. The members of the pool, at most as many as the workspace was made for, share
/// the update of the trailing matrix; BLAS calls must be single-threaded. [A b] becomes [U y] with L y = P b.
/// L is not kept: the part below the diagonal is undefined afterwards.
void factor(const ProcessGrid& grid, const HplMethod& method, LocalMatrix& matrix, Workspace& workspace,
            ThreadPool& pool, Phases& phases);

}  // namespace groma::hpcc::hpl
