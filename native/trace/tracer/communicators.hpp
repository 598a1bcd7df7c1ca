// The communicators of a process, by handle.
#pragma once

#include "trace/tracer/mpi.hpp"

namespace groma::trace {

/// Learns MPI_COMM_WORLD, whose group is kept, and MPI_COMM_SELF. Uses neither: sessions have none.
void remember_world(MPI_Group group);
/// The group may not be used any more.
void forget_world_group();
/// Writes the definitions of these two into the log of this thread.
void define_world();

}  // namespace groma::trace
