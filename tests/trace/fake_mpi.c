/* As much of MPICH as one process with sessions needs, in the program itself: MPICH 4.0 does not begin anew after its
 * last session. Calls a session, NUMBER times. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int PMPI_Init(int* count, char*** values) { return MPI_SUCCESS; }
int PMPI_Get_library_version(char* text, int* length) {
  strcpy(text, "fake");
  *length = 4;
  return MPI_SUCCESS;
}
int PMPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  *session = 1;
  return MPI_SUCCESS;
}
int PMPI_Session_finalize(MPI_Session* session) {
  *session = MPI_SESSION_NULL;
  return MPI_SUCCESS;
}
int PMPI_Group_from_session_pset(MPI_Session session, const char* set, MPI_Group* group) {
  *group = 2;
  return MPI_SUCCESS;
}
int PMPI_Group_rank(MPI_Group group, int* rank) {
  *rank = 0;
  return MPI_SUCCESS;
}
int PMPI_Group_size(MPI_Group group, int* size) {
  *size = 1;
  return MPI_SUCCESS;
}
int PMPI_Group_incl(MPI_Group group, int number, const int* ranks, MPI_Group* made) {
  *made = 2;
  return MPI_SUCCESS;
}
int PMPI_Group_free(MPI_Group* group) {
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
int PMPI_Group_translate_ranks(MPI_Group one, int number, const int* ranks, MPI_Group other, int* made) {
  memcpy(made, ranks, sizeof(int) * (size_t)number);
  return MPI_SUCCESS;
}
int PMPI_Comm_size(MPI_Comm comm, int* size) {
  *size = 1;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  for (int times = argc > 1 ? atoi(argv[1]) : 1; times > 0; --times) {
    MPI_Session session;
    int size;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    for (int i = 0; i < 5; ++i) MPI_Comm_size(MPI_COMM_SELF, &size);
    MPI_Session_finalize(&session);
  }
  return 0;
}
