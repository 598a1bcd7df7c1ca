// The first line of a .prv, and its lines of communicators.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

struct PrvHeader {
  Layout layout;
  std::uint64_t unit = 1;     ///< nanoseconds of a unit of time
  bool has_unit = true;       ///< one that Paraver knows
  bool is_consistent = true;  ///< lists are as long as they say
};

/// Errors (validation) say what is not a header.
Result<PrvHeader> parse_prv_header(std::string_view line);

/// Adds a line `c:` or `i:`, or one in capitals, to the layout. False where it is not one, or names tasks
/// that are not there.
bool add_communicator(std::string_view line, Layout& layout);

}  // namespace groma::trace
