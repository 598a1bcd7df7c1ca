// Stream passes with SSE2, which every x86-64 processor has.
#include "base/stream_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace groma {

#if defined(__x86_64__)
namespace {

#define GROMA_TARGET
constexpr std::size_t kVectorBytes = 16;
constexpr bool kHasNonTemporal = true;

GROMA_TARGET inline void store_past_caches(double* to, const __m128d& value) {
  _mm_stream_pd(to, value);
}

#include "base/stream_passes.inc"

}  // namespace

std::vector<CompiledPass> sse2_passes() {
  return compiled_passes();
}
#else
std::vector<CompiledPass> sse2_passes() {
  return {};
}
#endif

}  // namespace groma
