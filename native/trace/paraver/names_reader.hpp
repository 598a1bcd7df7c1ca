// Reads the names of a trace: .pcf and .row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/model/trace.hpp"

namespace groma::trace {

/// Adds what the text of a .pcf names. The number of lines that it cannot read.
std::uint64_t read_pcf(std::string_view text, Names& names);

/// The same of a .row.
std::uint64_t read_row(std::string_view text, Names& names);

}  // namespace groma::trace
