// The innermost loops of HPL, compiled for several instruction sets and chosen at run time: what the base of
// the panel factorization does to columns, below the reach of BLAS 3, and tiles of the update of the trailing
// matrix.
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

/// Rows of L that are packed together: the multipliers of each column of a group are contiguous.
constexpr std::int64_t kGroupRows = 8;

/// Those that return a candidate find the largest magnitude of what they leave, the first of equal ones: the
/// next pivot search costs no pass of its own. NaN never wins.
struct PanelKernels {
  std::string_view instructions;
  bool has_fast_tiles;        ///< whether subtract_tile is faster than the dgemm of usual libraries
  std::int64_t tile_columns;  ///< of the tiles of U
  /// Of count elements as they are.
  Candidate (*largest)(const double* x, std::int64_t count);
  /// x := factor x, then to(:, c) := to(:, c) - x factors[c]. The largest of the first column of `to`.
  Candidate (*eliminate)(double* x, double factor, Factors factors, Matrix to);
  /// to := to - sum over k of from(:, k) factors[k]. The largest of `to`.
  Candidate (*subtract_columns)(ConstMatrix from, Factors factors, double* to);
  /// to[i] := to[i] - sum over k of from(k, i) x[k].
  void (*subtract_dots)(ConstMatrix from, const double* x, double* to);
  /// C := C - L U for at most tile_columns columns and kGroupRows rows of C, whose rows are contiguous: `c`
  /// is C transposed. `upper` has `depth` rows of tile_columns elements, `lower` as many columns of
  /// kGroupRows, both contiguous.
  void (*subtract_tile)(const double* lower, const double* upper, std::int64_t depth, Matrix c);
  /// U := T^-1 U for the unit lower triangle T of `count` rows, at most kGroupRows, of a tile of U.
  /// `triangle` is stored as `lower` is.
  void (*solve_tile)(const double* triangle, std::int64_t count, double* upper);
};

/// The best that this machine has.
const PanelKernels& panel_kernels();

/// All that this machine has, the plainest first.
std::vector<const PanelKernels*> all_panel_kernels();

}  // namespace groma::hpcc::hpl
