#pragma once

#include "base/json.hpp"
#include "trace/sums/sums.hpp"

namespace groma::trace {

/// All sums, in nanoseconds and bytes, with the names of what they concern.
JsonObject to_json(const Sums& sums);

}  // namespace groma::trace
