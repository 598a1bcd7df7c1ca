/* The small cases of bench/torus_smpi.py: PATTERN BYTES; prints the simulated time of rank 0 in s. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void exchange(char *out, char *in, int bytes, int distance) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + distance) % size, 0, in, bytes, MPI_CHAR,
                 (rank + size - distance) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ping_pong(char *out, char *in, int bytes) {
    if (rank == 0) {
        MPI_Send(out, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int bytes = atoi(argv[2]);
    char *out = calloc((size_t)bytes, 1), *in = calloc((size_t)bytes, 1);
    const double begin = MPI_Wtime();
    if (strcmp(argv[1], "ping-pong") == 0) ping_pong(out, in, bytes);
    if (strcmp(argv[1], "shift") == 0) exchange(out, in, bytes, 1);
    if (strcmp(argv[1], "all-to-all") == 0)
        for (int distance = 1; distance < size; distance++) exchange(out, in, bytes, distance);
    double took = MPI_Wtime() - begin, longest = 0;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.9e\n", longest);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
