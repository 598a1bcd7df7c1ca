#include "hpcc/blas.hpp"

#ifdef GROMA_BLIS
#include <blis.h>
#endif
#include <cblas.h>

#include <utility>
#include <vector>

#include "base/pages.hpp"
#include "job/counted.hpp"

namespace groma::hpcc {
namespace {

/// The fourth parameter of cblas_dgemm: every CBLAS names its integer otherwise.
template <class Order, class A, class B, class Integer, class... Rest>
Integer integer_of(void (*)(Order, A, B, Integer, Rest...));
using Size = decltype(integer_of(cblas_dgemm));

CBLAS_TRANSPOSE flag(Transposed transposed) {
  return transposed == Transposed::kYes ? CblasTrans : CblasNoTrans;
}

/// A local matrix of 2^31 rows is beyond any memory.
Size size(std::int64_t n) {
  return static_cast<Size>(n);
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

#if defined(OPENBLAS_VERSION)
void set_blas_threads(std::uint32_t threads) {
  openblas_set_num_threads(static_cast<int>(threads));
}

Status check_blas_room(std::size_t threads) {
  constexpr Bytes kBuffer = 128_MiB;  // BUFFER_SIZE of x86-64, the largest of all
  // One mapping of all would be refused where it passes the memory of the machine, each by itself is not.
  std::vector<Block> buffers;
  while (buffers.size() < threads) {
    auto buffer = Block::map(kBuffer, PageMode::kSmall);
    if (!buffer) {
      return Error{"memory",
                   "OpenBLAS needs " + std::to_string(kBuffer.value() >> 20U) +
                       " MiB of addresses for each of " + job::counted(threads, "thread"),
                   "raise the limit of ulimit -v, or choose fewer threads or a smaller N"};
    }
    buffers.push_back(std::move(buffer).value());
  }
  return Done{};
}

std::string blas_library() {
  return std::string(openblas_get_config()) + " " + openblas_get_corename();
}
#elif defined(GROMA_BLIS)
void set_blas_threads(std::uint32_t threads) {
  bli_thread_set_num_threads(threads);
}

Status check_blas_room(std::size_t /*threads*/) {
  return Done{};
}

std::string blas_library() {
  return std::string("BLIS ") + bli_info_get_version_str() + " " + bli_arch_string(bli_arch_query_id());
}
#else
void set_blas_threads(std::uint32_t /*threads*/) {}

Status check_blas_room(std::size_t /*threads*/) {
  return Done{};
}

std::string blas_library() {
  return "unknown CBLAS";
}
#endif

}  // namespace groma::hpcc
