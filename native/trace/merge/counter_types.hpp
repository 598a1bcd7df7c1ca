// Event types of counters in a .prv: those that Paraver's configurations know, where there are such.
#pragma once

#include <cstdint>
#include <string_view>

namespace groma::trace {

/// Of an event as `groma counters` calls it. PAPI's presets, and events that are the same, have 42000000 +
/// the number of the preset; others 44000000 + a hash of the name, as PAPI's native events have.
std::uint32_t counter_type(std::string_view event);

}  // namespace groma::trace
