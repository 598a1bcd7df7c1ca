// The input file of the HPC Challenge suite: 36 lines at fixed places, of which the first four and line 32
// are ignored, as is what stands after the values of a line (HPCC 1.5.0; docs/hpcc/formats.md#input).
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// Errors (usage) name the line, what stands there and what is expected. A file that ends with the HPL part
/// (31 or 32 lines, an HPL.dat) adds nothing to PTRANS.
Result<Input> parse_hpccinf(std::string_view text);

/// What a file holds; errors (usage) name it: not there, a folder, no text, far too long.
Result<std::string> read_input_text(const std::string& path);

}  // namespace groma::hpcc
