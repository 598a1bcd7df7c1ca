// The summary of a merge as JSON.
#pragma once

#include "base/json.hpp"
#include "trace/merge/merge.hpp"

namespace groma::trace {

/// Times in seconds. Calls that did not occur are left out.
Json to_json(const MergeSummary& summary);

}  // namespace groma::trace
