#include "hpcc/hpl/panel_kernels.hpp"

#include <cmath>
#include <limits>

namespace groma::hpcc::hpl {

Candidate largest(const double* x, std::int64_t count) {
  if (count == 0) return {};
  Candidate best{0.0, 0};
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::abs(x[i]) > best.magnitude) best = {std::abs(x[i]), i};
  }
  return best;
}

void divide(double* x, std::int64_t count, double pivot) {
  if (pivot == 0.0) return;
  // The reciprocal of a smaller number overflows.
  if (std::abs(pivot) < std::numeric_limits<double>::min()) {
    for (std::int64_t i = 0; i < count; ++i) x[i] /= pivot;
    return;
  }
  const double factor = 1.0 / pivot;
  for (std::int64_t i = 0; i < count; ++i) x[i] *= factor;
}

void subtract_columns(const ConstMatrix& from, const double* factors, std::int64_t step, double* to) {
  for (std::int64_t k = 0; k < from.columns; ++k) {
    const double factor = factors[k * step];
    const double* column = from.at(0, k);
    for (std::int64_t i = 0; i < from.rows; ++i) to[i] -= column[i] * factor;
  }
}

void subtract_outer(const double* x, const double* factors, std::int64_t step, const Matrix& to) {
  for (std::int64_t c = 0; c < to.columns; ++c) {
    const double factor = factors[c * step];
    double* column = to.at(0, c);
    for (std::int64_t i = 0; i < to.rows; ++i) column[i] -= x[i] * factor;
  }
}

}  // namespace groma::hpcc::hpl
