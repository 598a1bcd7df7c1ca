/* fan_in.c: how many neighbours can one rank receive from at once? The microbenchmark of figure 7 of the
 * paper on the performance tools of Blue Gene/L, to be run under groma trace.
 *
 *     mpirun -n P fan_in [--messages N] [--size BYTES] [--receivers R]
 *
 * Rank 0 is in the middle, the others are its neighbours. In each phase a number of neighbours, one more each
 * time, send to rank 0, and rank 0 sends to some of them. On each way go N messages (30) of some BYTES (1
 * MiB), one after the other. The phases are regions: groma stat shows each with what it received by second.
 * While rank 0 keeps pace, that grows with the senders. Where it does not grow any more is the limit.
 *
 * Prints the bandwidth into and out of rank 0 in each phase. Exit codes: 0, 2 (usage), 3 (a message is
 * wrong), 4 (memory).
 */
#include <groma/counters.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIDDLE = 0, LEAST_SIZE = 8 };

typedef struct request {
  int messages;
  int size;
  int receivers; /* most that rank 0 sends to */
} request;

/* Messages that go one way between this rank and another, one at a time. */
typedef struct way {
  int peer;
  int sends;
  int done;
  unsigned char* message;
} way;

typedef struct phase {
  int senders;
  int receivers;
} phase;

/* ---- messages, whose first and last bytes say which they are ---- */

static void mark(unsigned char* message, int size, int sender, int number) {
  int words[2];
  words[0] = sender;
  words[1] = number;
  memcpy(message, words, sizeof words);
  message[size - 1] = (unsigned char)number;
}

static int is_marked(const unsigned char* message, int size, int sender, int number) {
  int words[2];
  memcpy(words, message, sizeof words);
  if (words[0] != sender || words[1] != number) return 0;
  return size == LEAST_SIZE || message[size - 1] == (unsigned char)number;
}

static MPI_Request start(const way* one, int rank, int size) {
  MPI_Request begun;
  if (one->sends) {
    mark(one->message, size, rank, one->done);
    MPI_Isend(one->message, size, MPI_BYTE, one->peer, 0, MPI_COMM_WORLD, &begun);
  } else {
    MPI_Irecv(one->message, size, MPI_BYTE, one->peer, 0, MPI_COMM_WORLD, &begun);
  }
  return begun;
}

/* Sends and receives all messages of some ways. Returns how many were wrong. */
static int exchange(way* ways, int count, const request* asked, int rank) {
  int wrong = 0;
  int i;
  MPI_Request* begun = malloc(sizeof *begun * (size_t)(count + 1));
  if (begun == NULL) MPI_Abort(MPI_COMM_WORLD, 4);
  for (i = 0; i < count; ++i) begun[i] = start(&ways[i], rank, asked->size);
  while (count > 0) {
    way* one;
    MPI_Waitany(count, begun, &i, MPI_STATUS_IGNORE);
    if (i == MPI_UNDEFINED) break;
    one = &ways[i];
    if (!one->sends && !is_marked(one->message, asked->size, one->peer, one->done)) ++wrong;
    if (++one->done < asked->messages) begun[i] = start(one, rank, asked->size);
  }
  free(begun);
  return wrong;
}

/* ---- phases ---- */

/* The ways of this rank in a phase. */
static int ways_of(int rank, phase now, way* ways) {
  int count = 0;
  int peer;
  if (rank == MIDDLE) {
    for (peer = 1; peer <= now.senders; ++peer) ways[count++] = (way){peer, 0, 0, NULL};
    for (peer = 1; peer <= now.receivers; ++peer) ways[count++] = (way){peer, 1, 0, NULL};
  } else {
    if (rank <= now.senders) ways[count++] = (way){MIDDLE, 1, 0, NULL};
    if (rank <= now.receivers) ways[count++] = (way){MIDDLE, 0, 0, NULL};
  }
  return count;
}

/* Returns how many messages were wrong on this rank. */
static int run(phase now, const request* asked, int rank, way* ways, unsigned char* memory) {
  char name[64];
  double time;
  int wrong;
  int i;
  const int count = ways_of(rank, now, ways);
  for (i = 0; i < count; ++i) ways[i].message = memory + (size_t)i * (size_t)asked->size;
  snprintf(name, sizeof name, "%d in, %d out", now.senders, now.receivers);
  MPI_Barrier(MPI_COMM_WORLD);
  groma_region_begin(name);
  time = MPI_Wtime();
  wrong = exchange(ways, count, asked, rank);
  time = MPI_Wtime() - time;
  groma_region_end(name);
  if (rank == MIDDLE) {
    const double each = 1e-6 * asked->messages * asked->size / time;
    printf("%7d %9d %10.1f %10.1f\n", now.senders, now.receivers, each * now.senders, each * now.receivers);
  }
  return wrong;
}

static int run_all(const request* asked, int rank, int ranks) {
  const size_t most = 2 * (size_t)ranks;
  way* ways = malloc(sizeof *ways * most);
  unsigned char* memory = calloc(rank == MIDDLE ? most : 2, (size_t)asked->size);
  int wrong = 0;
  phase now;
  if (ways == NULL || memory == NULL) {
    fprintf(stderr, "fan_in: no memory for %zu messages\n", most);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  if (rank == MIDDLE) printf("senders receivers    MB/s in   MB/s out\n");
  for (now.receivers = 0; now.receivers <= asked->receivers; ++now.receivers) {
    for (now.senders = 1; now.senders < ranks; ++now.senders) {
      wrong += run(now, asked, rank, ways, memory);
    }
  }
  free(memory);
  free(ways);
  return wrong;
}

/* ---- the command line ---- */

static int number_of(const char* text, int* number) {
  char* end;
  const long value = strtol(text, &end, 10);
  if (*end != '\0' || end == text || value < 0 || value > (1 << 30)) return 0;
  *number = (int)value;
  return 1;
}

static int understand(int argc, char** argv, request* asked) {
  int i;
  for (i = 1; i < argc; i += 2) {
    int* place = NULL;
    if (strcmp(argv[i], "--messages") == 0) place = &asked->messages;
    if (strcmp(argv[i], "--size") == 0) place = &asked->size;
    if (strcmp(argv[i], "--receivers") == 0) place = &asked->receivers;
    if (place == NULL || i + 1 == argc || !number_of(argv[i + 1], place)) return 0;
  }
  return asked->messages > 0 && asked->size >= LEAST_SIZE;
}

int main(int argc, char** argv) {
  request asked = {30, 1 << 20, 0};
  int rank;
  int ranks;
  int wrong;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!understand(argc, argv, &asked) || ranks < 2 || asked.receivers >= ranks) {
    if (rank == MIDDLE) {
      fprintf(stderr,
              "use: mpirun -n P fan_in [--messages N] [--size BYTES] [--receivers R], R < P, 2 <= P\n");
    }
    MPI_Finalize();
    return 2;
  }
  wrong = run_all(&asked, rank, ranks);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == MIDDLE && wrong > 0) fprintf(stderr, "fan_in: %d messages are wrong\n", wrong);
  MPI_Finalize();
  return wrong > 0 ? 3 : 0;
}
