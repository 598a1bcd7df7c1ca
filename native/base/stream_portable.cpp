// Stream passes on 16-byte vectors of the compiler: NEON, VSX or whatever the architecture has.
#include "base/stream_kernels.hpp"

namespace groma {
namespace {

#define GROMA_TARGET
constexpr std::size_t kVectorBytes = 16;
constexpr bool kHasNonTemporal = false;
template <class V>
void store_past_caches(double* to, const V& value);

#include "base/stream_passes.inc"

}  // namespace

std::vector<CompiledPass> portable_passes() {
  return compiled_passes();
}

}  // namespace groma
