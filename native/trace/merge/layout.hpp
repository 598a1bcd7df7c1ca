// What a trace says before its first record: its objects and its communicators.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/merge/groups.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// The objects with those that are missing between them: Paraver numbers tasks and threads without gaps, so a
/// rank whose log is lost needs a place too. `known` is sorted; `ranks` are those of each application.
std::vector<Object> without_gaps(const std::vector<Object>& known,
                                 const std::map<std::uint32_t, std::uint32_t>& ranks);

/// All communicators. Group g has the id g + 1. An intercommunicator whose sides are both of this application
/// names two communicators: its sides, which are added where the program has none like them.
void add_communicators(const Groups& groups, Layout& layout);

}  // namespace groma::trace
