// One system, generated, solved and checked on a grid.
#pragma once

#include <vector>

#include "hpcc/hpl/phases.hpp"
#include "hpcc/hpl/residual.hpp"

namespace groma::hpcc::hpl {

struct Solution {
  Seconds time;                    ///< of factorization and back substitution, on the slowest rank
  std::array<double, 6> phases{};  ///< seconds by Phases::kNames, each of the rank that it took longest
  std::vector<double> x;
  Residual residual;
};

/// Collective over the grid; an error (memory) is the same on every rank. Calls of BLAS must be
/// single-threaded: the threads of a rank are HPL's own.
Result<Solution> solve(const ProcessGrid& grid, const HplCase& one, std::uint64_t seed,
                       std::uint32_t threads = 1);

/// Operations that HPL counts: 2/3 n^3 + 3/2 n^2.
double flops_of(std::uint64_t n);

}  // namespace groma::hpcc::hpl
