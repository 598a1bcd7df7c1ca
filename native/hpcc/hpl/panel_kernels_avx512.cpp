// Panel kernels with AVX-512.
#include <algorithm>
#include <cmath>
#include <limits>

#include "hpcc/hpl/panel_kernel_sets.hpp"

namespace groma::hpcc::hpl {

#if defined(__x86_64__)
namespace {

#define GROMA_TARGET [[gnu::target("avx512f,fma")]]
constexpr std::int64_t kLanes = 8;
#include "hpcc/hpl/panel_kernels.inc"

}  // namespace

const PanelKernels* panel_kernels_avx512() {
  static constexpr PanelKernels kKernels{"avx512",         true,          kTileColumns,  largest,   eliminate,
                                         subtract_columns, subtract_dots, subtract_tile, solve_tile};
  return __builtin_cpu_supports("avx512f") > 0 && __builtin_cpu_supports("fma") > 0 ? &kKernels : nullptr;
}
#else
const PanelKernels* panel_kernels_avx512() {
  return nullptr;
}
#endif

}  // namespace groma::hpcc::hpl
