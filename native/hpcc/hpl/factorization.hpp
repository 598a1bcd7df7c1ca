// LU factorization with row partial pivoting of the block-cyclic matrix, right-looking, with the next panel
// factored and under way while the trailing matrix is still being updated (look-ahead).
#pragma once

#include "hpcc/hpl/broadcast.hpp"
#include "hpcc/hpl/phases.hpp"
#include "hpcc/hpl/row_exchange.hpp"
#include "hpcc/hpl/workers.hpp"

namespace groma::hpcc::hpl {

/// What a factorization needs beside the matrix.
class Workspace {
 public:
  /// Errors: memory. Not collective. Refers to `grid` and `one`, which must outlive it.
  static Result<Workspace> make(const ProcessGrid& grid, const HplCase& one, const LocalMatrix& matrix,
                                std::size_t threads);

  std::vector<Panel> panels;  ///< one, and one more for each step of look-ahead
  RowExchange rows;

 private:
  Workspace(std::vector<Panel> all, RowExchange exchange)
      : panels(std::move(all)), rows(std::move(exchange)) {}
};

/// Collective over the grid. The workers, at most as many as the workspace was made for, share the update of
/// the trailing matrix; BLAS calls must be single-threaded. [A b] becomes [U y] with L y = P b; below its
/// diagonal nothing of use is left, as nobody needs L any more. Depths of look-ahead beyond 1 act as 1.
void factor(const ProcessGrid& grid, const HplMethod& method, LocalMatrix& matrix, Workspace& workspace,
            Workers& workers, Phases& phases);

}  // namespace groma::hpcc::hpl
