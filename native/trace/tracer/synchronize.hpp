// The clocks of several hosts on one time scale.
#pragma once

#include "trace/log/format.hpp"

namespace groma::trace {

/// Adds to the header how the clock of this host stands to that of rank 0, measured by round trips between
/// one process of each host and rank 0. Collective over MPI_COMM_WORLD; with a null header a process only
/// takes part. The first call says which header later comparisons are added to.
void synchronize(log::Header* header);

/// True where the world has several hosts, from the first synchronize() to stop_comparing().
extern bool clocks_differ;

/// To be called by all processes after each collective of MPI_COMM_WORLD that none leaves before all came:
/// after some of them, clocks are compared once more.
void count_world_collective();

/// MPI ends: nothing is compared any more but by synchronize().
void stop_comparing();

}  // namespace groma::trace
