// Sessions of MPI 4: the tracer's own, and what takes the place of MPI_COMM_WORLD where only they are used.
#pragma once

#include "trace/tracer/mpi.hpp"

namespace groma::trace {

/// The processes of mpi://WORLD, by a session of the tracer. MPI_GROUP_NULL where there is none.
MPI_Group open_own_session();
/// Ends it, where there is one. The group may not be used any more.
void end_own_session();

}  // namespace groma::trace
