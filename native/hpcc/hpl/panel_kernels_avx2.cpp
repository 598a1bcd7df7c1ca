// Panel kernels with AVX2.
#include <algorithm>
#include <cmath>
#include <limits>

#include "hpcc/hpl/panel_kernel_sets.hpp"

namespace groma::hpcc::hpl {

#if defined(__x86_64__)
namespace {

#define GROMA_TARGET [[gnu::target("avx2,fma")]]
constexpr std::int64_t kLanes = 4;
#include "hpcc/hpl/panel_kernels.inc"

}  // namespace

const PanelKernels* panel_kernels_avx2() {
  static constexpr PanelKernels kKernels{"avx2",           true,          kTileColumns,  largest,   eliminate,
                                         subtract_columns, subtract_dots, subtract_tile, solve_tile};
  return __builtin_cpu_supports("avx2") > 0 && __builtin_cpu_supports("fma") > 0 ? &kKernels : nullptr;
}
#else
const PanelKernels* panel_kernels_avx2() {
  return nullptr;
}
#endif

}  // namespace groma::hpcc::hpl
