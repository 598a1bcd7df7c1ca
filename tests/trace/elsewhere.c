/* A program whose messages are known, to be replayed on another network. On 4 ranks they have 202,496 bytes. */
#include <mpi.h>

int main(int count, char** values) {
  static char in[5000], out[5000], gathered[64];
  int rank, size, flag;
  MPI_Comm half;
  MPI_Request requests[2];
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < 10; ++i) {
    MPI_Irecv(in, 5000, MPI_CHAR, left, i, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 5000, MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Bcast(in, 1000, MPI_CHAR, 0, half);
  MPI_Sendrecv(out, 100, MPI_CHAR, left, 3, in, 100, MPI_CHAR, right, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iallreduce(out, in, 8, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD, &requests[0]);
  for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Gather(out, 16, MPI_CHAR, gathered, 16, MPI_CHAR, 1, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
