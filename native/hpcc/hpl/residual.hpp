// How well x solves the system, which is generated again for this check.
#pragma once

#include <vector>

#include "hpcc/hpl/local_matrix.hpp"

namespace groma::hpcc::hpl {

/// Norms, as HPL writes them: 1 and infinity. Infinite where an element is no finite number; the remainder
/// also where ranks have different solutions.
struct Residual {
  double remainder = 0.0;  ///< |A x - b|_inf
  double a_1 = 0.0;
  double a_inf = 0.0;
  double x_1 = 0.0;
  double x_inf = 0.0;
  double b_inf = 0.0;
  std::int64_t n = 0;

  /// That of HPL 2: |A x - b|_inf / (eps (|A|_inf |x|_inf + |b|_inf) n). Backward stable: of order 1 or
  /// below.
  [[nodiscard]] double scaled() const;
  /// Of HPL 1: |A x - b|_inf / (eps |A|_1 |x|_1)
  [[nodiscard]] double scaled_by_sums() const;
  /// Of HPL 1: |A x - b|_inf / (eps |A|_1 n), which grows with x where the matrix is ill-conditioned.
  [[nodiscard]] double scaled_by_order() const;
};

/// Unit roundoff: half of the distance from 1 to the next number, as HPL takes it.
constexpr double kEpsilon = 0x1p-53;

/// Collective over the grid; the same on every rank.
Residual residual_of(const ProcessGrid& grid, const Layout& layout, const RandomSystem& system,
                     const std::vector<double>& x);

}  // namespace groma::hpcc::hpl
