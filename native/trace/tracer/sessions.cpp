#include "trace/tracer/sessions.hpp"

#include "trace/tracer/communicators.hpp"

namespace groma::trace {

#if MPI_VERSION >= 4
namespace {

/// Objects of the program's sessions would outlive them.
MPI_Session own_session = MPI_SESSION_NULL;

}  // namespace

MPI_Group open_own_session() {
  MPI_Group group = MPI_GROUP_NULL;
  if (REAL(PMPI_Session_init)(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_session) == MPI_SUCCESS) {
    REAL(PMPI_Group_from_session_pset)(own_session, "mpi://WORLD", &group);
  }
  return group;
}

void end_own_session() {
  if (own_session != MPI_SESSION_NULL) {
    forget_world_group();
    REAL(PMPI_Session_finalize)(&own_session);
    own_session = MPI_SESSION_NULL;
  }
}
#else
MPI_Group open_own_session() {
  return MPI_GROUP_NULL;
}

void end_own_session() {}
#endif

}  // namespace groma::trace
