// Stream passes with AVX-512.
#include "base/stream_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace groma {

#if defined(__x86_64__)
namespace {

#define GROMA_TARGET [[gnu::target("avx512f")]]
constexpr std::size_t kVectorBytes = 64;
constexpr bool kHasNonTemporal = true;

GROMA_TARGET inline void store_past_caches(double* to, const __m512d& value) {
  _mm512_stream_pd(to, value);
}

#include "base/stream_passes.inc"

}  // namespace

std::vector<CompiledPass> avx512_passes() {
  return compiled_passes();
}
#else
std::vector<CompiledPass> avx512_passes() {
  return {};
}
#endif

}  // namespace groma
