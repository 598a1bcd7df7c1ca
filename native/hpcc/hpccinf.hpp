// The input file of the HPC Challenge suite: 36 lines at fixed places, of which the first four are ignored
// (HPCC 1.5.0; docs/hpcc.md#input).
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// Errors (usage) name the line, what stands there and what is expected. Lines after the HPL part may be
/// missing.
Result<Input> parse_hpccinf(std::string_view text);

/// The same of a file; an error (usage) names the file.
Result<Input> read_hpccinf(const std::string& path);

}  // namespace groma::hpcc
