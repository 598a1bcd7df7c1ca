/* A library with a program in it, which is opened at run time. */
#include <mpi.h>
#include <stdio.h>

int run(void) {
  int rank = -1, sum = 0;
  MPI_Comm half;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &half);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &sum, 1, MPI_INT, 0, 1, half, MPI_STATUS_IGNORE);
  MPI_Recv(&sum, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, half, MPI_STATUS_IGNORE);
  printf("%d\n", sum);
  fflush(stdout);
  MPI_Finalize();
  return 4;
}
