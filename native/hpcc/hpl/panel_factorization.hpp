// Factors one panel with row partial pivoting: a recursion over its columns down to a base that goes column
// by column, each left-looking, Crout or right-looking.
#pragma once

#include "hpcc/hpl/pivot_exchange.hpp"

namespace groma::hpcc::hpl {

/// Collective over the grid column that holds the panel, whose rows hold the updated columns of the matrix.
/// Afterwards triangle(), pivots() and below() are those of the factors. A column of zeros leaves a zero on
/// the diagonal and goes on: the solution is then not finite, and the residual check fails.
void factor_panel(const Panel& panel, const LocalMatrix& matrix, const HplMethod& method,
                  PivotExchange& pivots);

}  // namespace groma::hpcc::hpl
