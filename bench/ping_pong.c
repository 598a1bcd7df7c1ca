/* A plain MPI ping-pong in the manner of OSU's latency test (one-way time: half of the mean round trip of many,
   blocking calls, warm-up apart), the peer that bench/network_pairs.py compiles. Rank 0 prints seconds.
   usage: ping_pong BYTES WARM_UPS ITERATIONS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void play(char* out, char* in, int bytes, int leads, int times) {
  for (int i = 0; i < times; ++i) {
    if (leads) {
      MPI_Send(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(in, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  const int bytes = atoi(argv[1]), warm_ups = atoi(argv[2]), iterations = atoi(argv[3]);
  const size_t page = 4096, size = ((size_t)bytes / page + 1) * page;
  char* const out = aligned_alloc(page, size);
  char* const in = aligned_alloc(page, size);
  if (out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  memset(out, 'a', size);
  memset(in, 'b', size);
  MPI_Barrier(MPI_COMM_WORLD);
  play(out, in, bytes, rank == 0, warm_ups);
  const double start = MPI_Wtime();
  play(out, in, bytes, rank == 0, iterations);
  if (rank == 0) printf("%.9e\n", (MPI_Wtime() - start) / (2.0 * iterations));
  MPI_Finalize();
  return EXIT_SUCCESS;
}
