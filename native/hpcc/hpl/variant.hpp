// How HPL writes down which case was run.
#pragma once

#include <string>
#include <vector>

#include "hpcc/benchmark.hpp"

namespace groma::hpcc::hpl {

/// The code of column T/V: mapping, look-ahead, broadcast, then the recursion and the base of the panel
/// factorization, for example WR11C2R4.
std::string variant_code(const HplCase& one);

/// L, C or R.
char letter_of(PanelFactorization looking);

/// The keys HPL_N to HPL_order of the summary.
std::vector<SummaryEntry> case_entries(const HplCase& one);

}  // namespace groma::hpcc::hpl
