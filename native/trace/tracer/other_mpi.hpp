// Programs of another MPI than the tracer's.
#pragma once

namespace groma::trace {

/// Whether an MPI is of the tracer's family. `world` is the address of its symbol ompi_mpi_comm_world.
bool is_own_family(const void* world);
/// Says in the folder of the logs, if there is one, that a program of another MPI ran.
void note_other_mpi(const char* folder);

}  // namespace groma::trace
