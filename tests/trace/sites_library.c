// A library that calls MPI for its program.
#include <mpi.h>

void call_from_library(int rank) {
  int sum = rank;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
