#include "hpcc/blas.hpp"

#include <cblas.h>

namespace groma::hpcc {
namespace {

CBLAS_TRANSPOSE flag(Transposed transposed) {
  return transposed == Transposed::kYes ? CblasTrans : CblasNoTrans;
}

/// The widest integer that this CBLAS takes; a local matrix of 2^31 rows is beyond any memory.
blasint size(std::int64_t n) {
  return static_cast<blasint>(n);
}

}  // namespace

void dgemm(Transposed a_transposed, Transposed b_transposed, double alpha, ConstMatrix a, ConstMatrix b,
           double beta, Matrix c) {
  const std::int64_t inner = a_transposed == Transposed::kYes ? a.rows : a.columns;
  if (c.rows == 0 || c.columns == 0) return;
  cblas_dgemm(CblasColMajor, flag(a_transposed), flag(b_transposed), size(c.rows), size(c.columns),
              size(inner), alpha, a.data, size(a.stride), b.data, size(b.stride), beta, c.data,
              size(c.stride));
}

void dtrsm(Side side, Triangle stored, Transposed transposed, Diagonal diagonal, ConstMatrix a, Matrix b) {
  if (b.rows == 0 || b.columns == 0) return;
  cblas_dtrsm(CblasColMajor, side == Side::kLeft ? CblasLeft : CblasRight,
              stored == Triangle::kLower ? CblasLower : CblasUpper, flag(transposed),
              diagonal == Diagonal::kUnit ? CblasUnit : CblasNonUnit, size(b.rows), size(b.columns), 1.0,
              a.data, size(a.stride), b.data, size(b.stride));
}

#ifdef OPENBLAS_VERSION
void set_blas_threads(std::uint32_t threads) {
  openblas_set_num_threads(static_cast<int>(threads));
}

std::string blas_library() {
  return std::string(openblas_get_config()) + " " + openblas_get_corename();
}
#else
void set_blas_threads(std::uint32_t /*threads*/) {}

std::string blas_library() {
  return "unknown CBLAS";
}
#endif

}  // namespace groma::hpcc
