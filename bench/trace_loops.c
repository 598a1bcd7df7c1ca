/* Tight loops of calls, and of readings of the clock that tracers use. Prints nanoseconds per call, one loop
 * a line, the least of several repetitions. trace_loops CALLS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static long calls;
static int rank, size;

static volatile unsigned long long sum;
static void read_clock(void) {
  for (long i = 0; i < calls; ++i) {
#if defined(__x86_64__)
    sum += __rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum += (unsigned long long)now.tv_nsec;
#endif
  }
}
static void comm_rank(void) {
  int mine;
  for (long i = 0; i < calls; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &mine);
}
static void iprobe(void) {
  int flag;
  for (long i = 0; i < calls; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}
static void sendrecv(void) {
  char out[8] = {0}, in[8];
  for (long i = 0; i < calls; ++i) {
    MPI_Sendrecv(out, 8, MPI_BYTE, rank, 1, in, 8, MPI_BYTE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
/* Three calls a turn. */
static void isend_wait(void) {
  char out[8] = {0}, in[8];
  for (long i = 0; i < calls / 3; ++i) {
    MPI_Request request;
    MPI_Isend(out, 8, MPI_BYTE, rank, 2, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 8, MPI_BYTE, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}
static void ping_pong(void) {
  char data[8] = {0};
  for (long i = 0; i < calls / 2; ++i) {
    if (rank == 0) {
      MPI_Send(data, 8, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
      MPI_Recv(data, 8, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(data, 8, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, 8, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
    }
  }
}
static void allreduce(void) {
  double out = 1, sum;
  for (long i = 0; i < calls; ++i) MPI_Allreduce(&out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void measure(const char* name, void (*loop)(void)) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    loop();
    const double passed = (MPI_Wtime() - begin) / (double)calls * 1e9;
    if (passed < least) least = passed;
  }
  if (rank == 0) printf("%s %.2f\n", name, least);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  calls = argc > 1 ? atol(argv[1]) : 100000;
  measure("clock", read_clock);
  measure("comm_rank", comm_rank);
  measure("iprobe", iprobe);
  measure("sendrecv", sendrecv);
  measure("isend_wait", isend_wait);
  measure("allreduce", allreduce);
  if (size > 1) measure("ping_pong", ping_pong);
  MPI_Finalize();
  return 0;
}
