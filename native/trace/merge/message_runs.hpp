// Messages in the order of their physical send.
#pragma once

#include "base/sorted_runs.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

struct SentBefore {
  bool operator()(const Communication& a, const Communication& b) const {
    return a.physical_send != b.physical_send ? a.physical_send < b.physical_send : a.sender < b.sender;
  }
};
using MessageRuns = SortedRuns<Communication, SentBefore>;

}  // namespace groma::trace
