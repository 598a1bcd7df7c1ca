// The communicators of a process, by handle.
#pragma once

#include "trace/tracer/mpi.hpp"

namespace groma::trace {

/// Learns MPI_COMM_WORLD and MPI_COMM_SELF. After MPI_Init, in one thread.
void remember_world();
/// Writes the definitions of these two into the log of this thread.
void define_world();

}  // namespace groma::trace
