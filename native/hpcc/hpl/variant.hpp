// The keys of the case that was run.
#pragma once

#include <vector>

#include "hpcc/benchmark.hpp"
#include "hpcc/hpl_variant.hpp"

namespace groma::hpcc::hpl {

/// The keys HPL_N to HPL_order of the summary.
std::vector<SummaryEntry> case_entries(const HplCase& one);

}  // namespace groma::hpcc::hpl
