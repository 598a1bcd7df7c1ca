// What one rank did, as lines of a time-independent trace.
#pragma once

#include <ostream>

#include "trace/export/replay_run.hpp"

namespace groma::trace::replay {

/// Writes the lines of a rank and adds what it left out to the losses. Takes its messages.
void write_program(Run& run, Rank rank, std::ostream& out);

}  // namespace groma::trace::replay
