#include "hpcc/hpl/panel_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hpcc/hpl/panel_kernel_sets.hpp"

namespace groma::hpcc::hpl {
namespace {

#define GROMA_TARGET
constexpr std::int64_t kLanes = 2;
#include "hpcc/hpl/panel_kernels.inc"

constexpr PanelKernels kPortable{"portable",       false,         kTileColumns,  largest,   eliminate,
                                 subtract_columns, subtract_dots, subtract_tile, solve_tile};

}  // namespace

std::vector<const PanelKernels*> all_panel_kernels() {
  std::vector<const PanelKernels*> all = {&kPortable};
  for (const PanelKernels* one : {panel_kernels_avx2(), panel_kernels_avx512()}) {
    if (one != nullptr) all.push_back(one);
  }
  return all;
}

const PanelKernels& panel_kernels() {
  static const PanelKernels& best = *all_panel_kernels().back();
  return best;
}

}  // namespace groma::hpcc::hpl
