// How HPL writes down by which method a case is run.
#pragma once

#include <string>

#include "hpcc/plan.hpp"

namespace groma::hpcc::hpl {

/// The code of column T/V: mapping, look-ahead, broadcast, then the recursion and the base of the panel
/// factorization, for example WR11C2R4.
std::string variant_code(const HplCase& one);

/// L, C or R.
char letter_of(PanelFactorization looking);

}  // namespace groma::hpcc::hpl
