// What the base of the panel factorization does to columns: memory-bound work below the reach of BLAS 3,
// compiled for several instruction sets and chosen at run time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hpcc/blas.hpp"

namespace groma::hpcc::hpl {

/// The largest element that one rank has in a column, if it has any row there.
struct Candidate {
  double magnitude = -1.0;
  std::int64_t local_row = -1;
  bool operator==(const Candidate&) const = default;
};

/// Factors of a row or column of a matrix: the k-th at data[k * step].
struct Factors {
  const double* data;
  std::int64_t step;
  [[nodiscard]] double at(std::int64_t k) const { return data[k * step]; }
};

/// Each finds the largest magnitude of what it leaves, the first of equal ones: the next pivot search costs
/// no pass of its own. NaN never wins.
struct PanelKernels {
  std::string_view instructions;
  /// Of count elements as they are.
  Candidate (*largest)(const double* x, std::int64_t count);
  /// x := factor x, then to(:, c) := to(:, c) - x factors[c]. The largest of the first column of `to`.
  Candidate (*eliminate)(double* x, double factor, Factors factors, Matrix to);
  /// to := to - sum over k of from(:, k) factors[k]. The largest of `to`.
  Candidate (*subtract_columns)(ConstMatrix from, Factors factors, double* to);
};

/// The best that this machine has.
const PanelKernels& panel_kernels();

/// All that this machine has, the plainest first.
std::vector<const PanelKernels*> all_panel_kernels();

}  // namespace groma::hpcc::hpl
