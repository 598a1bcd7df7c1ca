// What the base of the panel factorization does to columns: memory-bound work below the reach of BLAS 3.
#pragma once

#include <cstdint>

#include "hpcc/blas.hpp"
#include "hpcc/hpl/pivot_exchange.hpp"

namespace groma::hpcc::hpl {

/// The largest |x[i]|; the first of equal ones. NaN never wins. None of no elements.
Candidate largest(const double* x, std::int64_t count);

/// x := x / pivot; nothing where the pivot is zero, as it is of a singular matrix.
void divide(double* x, std::int64_t count, double pivot);

/// to := to - sum over k < columns of from(:, k) * factors[k * step]
void subtract_columns(const ConstMatrix& from, const double* factors, std::int64_t step, double* to);

/// to(:, c) := to(:, c) - x * factors[c * step]
void subtract_outer(const double* x, const double* factors, std::int64_t step, const Matrix& to);

}  // namespace groma::hpcc::hpl
