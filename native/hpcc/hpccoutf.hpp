// The output file of the HPC Challenge suite, with all keys of its summary section (HPCC 1.5.0;
// docs/hpcc/formats.md#output). Text only: output_file.hpp writes it.
#pragma once

#include "hpcc/suite.hpp"

namespace groma::hpcc {

/// The lines between "Begin of Summary section." and its end: the 148 keys in the order of the suite, then
/// any that a benchmark gives beyond them. What no benchmark gave stands as the suite leaves it (-1 mostly).
std::vector<SummaryEntry> summary_of(const RunFacts& facts, const Plan& plan, const SuiteResult& result);

/// The text of one run.
std::string hpccoutf_text(const RunFacts& facts, const Plan& plan, const SuiteResult& result);

}  // namespace groma::hpcc
