// One set of panel kernels for each instruction set.
#pragma once

#include "hpcc/hpl/panel_kernels.hpp"

namespace groma::hpcc::hpl {

// None where this machine does not have the instructions.
const PanelKernels* panel_kernels_avx2();
const PanelKernels* panel_kernels_avx512();

}  // namespace groma::hpcc::hpl
