// The output file of the HPC Challenge suite, with all keys of its summary section (HPCC 1.5.0;
// docs/hpcc.md#output).
#pragma once

#include "base/result.hpp"
#include "hpcc/suite.hpp"

namespace groma::hpcc {

/// The text of one run. `started` and `ended` are calendar times.
std::string hpccoutf_text(int ranks, const Plan& plan, const SuiteResult& result);

/// Writes or appends it to `options.output`. On the root only. Errors (environment) name the file.
Status write_hpccoutf(const Options& options, int ranks, const Plan& plan, const SuiteResult& result);

}  // namespace groma::hpcc
