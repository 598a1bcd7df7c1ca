/* Programs that say what is to be traced of them.
 *   control off      rank 1 switches tracing off for a while (MPI_Pcontrol)
 *   control misses   rank 0 tests and probes in vain
 */
#include <mpi.h>
#include <string.h>

static int rank, size;

static void off(void) {
  char buffer[16] = {0};
  if (rank == 1) {
    MPI_Pcontrol(0);
    MPI_Send(buffer, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Pcontrol(1);
    MPI_Send(buffer, 16, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
  } else if (rank == 0) {
    for (int i = 0; i < 2; ++i)
      MPI_Recv(buffer, 16, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void misses(void) {
  int flag = 1, index = 0, in = 0;
  const int out = 1;
  MPI_Request request;
  for (int i = 0; i < 1000; ++i) MPI_Iprobe(rank, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Irecv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 300; ++i) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < 200; ++i) MPI_Testsome(1, &request, &flag, &index, MPI_STATUSES_IGNORE);
  MPI_Send(&out, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

int main(int count, char** values) {
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count > 1 && strcmp(values[1], "off") == 0) off();
  if (count > 1 && strcmp(values[1], "misses") == 0 && rank == 0) misses();
  MPI_Finalize();
  return 0;
}
