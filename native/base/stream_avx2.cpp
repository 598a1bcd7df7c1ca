// Stream passes with AVX2.
#include "base/stream_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace groma {

#if defined(__x86_64__)
namespace {

#define GROMA_TARGET [[gnu::target("avx2")]]
constexpr std::size_t kVectorBytes = 32;
constexpr bool kHasNonTemporal = true;

GROMA_TARGET inline void store_past_caches(double* to, const __m256d& value) {
  _mm256_stream_pd(to, value);
}

#include "base/stream_passes.inc"

}  // namespace

std::vector<CompiledPass> avx2_passes() {
  return compiled_passes();
}
#else
std::vector<CompiledPass> avx2_passes() {
  return {};
}
#endif

}  // namespace groma
