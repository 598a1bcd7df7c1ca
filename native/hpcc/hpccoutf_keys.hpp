// The summary section of hpccoutf.txt as data: its keys in the order of HPCC 1.5.0, and what stands there
// when a test did not run.
#pragma once

#include <string_view>
#include <vector>

#include "hpcc/benchmark.hpp"

namespace groma::hpcc {

struct SummaryKey {
  std::string_view name;
  std::string_view absent;  ///< value where nothing was measured
};

/// All 148, in their order.
const std::vector<SummaryKey>& summary_keys();

/// The constants of the arithmetic (HPL_dMACH_*, HPL_sMACH_*, dweps, sweps), as LAPACK's xLAMCH defines them.
std::vector<SummaryEntry> arithmetic_entries();

/// Sizes of the types of this build.
std::vector<SummaryEntry> type_entries();

/// Seven digits with an exponent, as the suite prints the constants.
SummaryEntry exponent_entry(std::string_view key, double value);

}  // namespace groma::hpcc
