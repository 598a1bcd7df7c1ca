/* Programs that say what is to be traced of them.
 *   control off      rank 1 switches tracing off for a while (MPI_Pcontrol)
 *   control misses   rank 0 tests and probes in vain
 *   control thread   threads of rank 0 probe in vain until they end
 */
#include <mpi.h>
#include <pthread.h>
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

static void* probing(void* first) {
  int flag = 0;
  if (first != NULL) MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 70; ++i) MPI_Iprobe(rank, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return NULL;
}

static void threads(void) {
  pthread_t one;
  for (int i = 0; i < 2; ++i) {
    pthread_create(&one, NULL, probing, i == 0 ? &size : NULL);
    pthread_join(one, NULL);
  }
}

int main(int count, char** values) {
  int level;
  if (count > 1 && strcmp(values[1], "thread") == 0) {
    MPI_Init_thread(&count, &values, MPI_THREAD_SERIALIZED, &level);
  } else {
    MPI_Init(&count, &values);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count > 1 && strcmp(values[1], "off") == 0) off();
  if (count > 1 && strcmp(values[1], "misses") == 0 && rank == 0) misses();
  if (count > 1 && strcmp(values[1], "thread") == 0 && rank == 0) threads();
  MPI_Finalize();
  return 0;
}
