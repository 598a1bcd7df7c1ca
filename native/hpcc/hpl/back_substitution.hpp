// Solves U x = y where the factorization left [U y].
#pragma once

#include <vector>

#include "hpcc/hpl/local_matrix.hpp"

namespace groma::hpcc::hpl {

/// Collective over the grid. All of x, on every rank of the grid. Not finite where U has a zero on its
/// diagonal.
std::vector<double> substitute_back(const ProcessGrid& grid, const LocalMatrix& matrix);

}  // namespace groma::hpcc::hpl
