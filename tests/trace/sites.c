// Calls MPI from known lines: sites [LIBRARY] [CALLS]. Opens LIBRARY, which is sites_library.c, unless it is "-",
// and ends with CALLS calls from one line.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef LINKED
void call_from_library(int rank);
#endif

static void exchange(int rank) {
  int value = 0;
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void fail(void) {
  int value = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; ++i) exchange(rank);
#ifdef LINKED
  call_from_library(rank);
#endif
  if (argc > 1 && argv[1][0] != '-') {
    void* const library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) return 1;
    void (*const call)(int) = (void (*)(int))dlsym(library, "call_from_library");
    call(rank);
    dlclose(library);
  }
  const long calls = argc > 2 ? atol(argv[2]) : 0;
  for (long i = 0; i < calls; ++i) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  fail();
  MPI_Finalize();
  return 0;
}
