/* Ranks of which some may run without the tracer. Messages of the tracer would be the first that these get,
 * and its collective calls would be taken for those of the program.
 */
#include <mpi.h>
#include <stdio.h>

static int failed;

static void check(int is, int should) {
  if (is != should) failed = 1;
}

/* Each rank sends to the next one, which takes what comes first. */
static void first_come(int rank, int size) {
  int out = rank, in = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, rank, MPI_COMM_WORLD, &request);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(in, (rank + size - 1) % size);
  check(status.MPI_SOURCE, in);
  check(status.MPI_TAG, in);
}

static void together(MPI_Comm comm, int rank, int size) {
  int sum = 0, all = rank == size - 1 ? 17 : 0, one = 1;
  MPI_Request request;
  MPI_Bcast(&all, 1, MPI_INT, size - 1, comm);
  check(all, 17);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(sum, size);
  MPI_Barrier(comm);
}

int main(int argc, char** argv) {
  int rank, size, pending;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  first_come(rank, size);
  together(MPI_COMM_WORLD, rank, size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  together(comm, rank, size);
  MPI_Comm_free(&comm);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &pending, MPI_STATUS_IGNORE);
  check(pending, 0);
  MPI_Finalize();
  if (rank == 0) puts(failed ? "disturbed" : "undisturbed");
  return failed;
}
