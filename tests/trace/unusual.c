/* Programs that do what few programs do, and that MPI allows.
 *   faults descriptors | fork | jump | long | duplicates | requests | sizes | unequal | grid |
 *          synchronous COUNT | startall COUNT | closed | buffered | exhausted | named
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void to_itself(int times) {
  int out = 1, in = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
}

/* Prints how many logs are open. */
static void descriptors(void) {
  int logs = 0;
  to_itself(50000);
  DIR* const folder = opendir("/proc/self/fd");
  for (struct dirent* one = readdir(folder); one != NULL; one = readdir(folder)) {
    char path[4096] = "";
    const ssize_t length = readlinkat(dirfd(folder), one->d_name, path, sizeof path - 1);
    logs += length > 4 && strcmp(path + length - 4, ".log") == 0;
  }
  closedir(folder);
  printf("logs: %d\n", logs);
}

static void forks(void) {
  void (*region)(const char*, int) = (void (*)(const char*, int))dlsym(RTLD_DEFAULT, "groma_trace_region");
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    for (int k = 0; k < 100; ++k) {
      region(child == 0 ? "of the child" : "of the parent", 1);
      if (child != 0) to_itself(1);
      region(child == 0 ? "of the child" : "of the parent", 0);
    }
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
  }
}

static jmp_buf place;
static void leave(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  longjmp(place, 1);
}
static void jump(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (setjmp(place) == 0) MPI_Send(&rank, 1, MPI_INT, 1000, 1, MPI_COMM_WORLD);
  to_itself(10);
}

/* The first of four messages is too long for its receive. */
static void too_long(void) {
  char buffer[400];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 1; i <= 4; ++i) {
    if (rank == 0) MPI_Send(buffer, i * 100, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(buffer, i == 1 ? 10 : 400, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Rank 1 uses the second one first. */
static void duplicates(void) {
  MPI_Comm made[2];
  MPI_Request requests[2];
  char buffer[100];
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_idup(MPI_COMM_WORLD, &made[i], &requests[i]);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2; ++i) {
    if (rank == 0) MPI_Isend(buffer, i == 0 ? 100 : 7, MPI_CHAR, 1, 1, made[i], &requests[i]);
    if (rank == 1) MPI_Recv(buffer, i == 0 ? 7 : 100, MPI_CHAR, 0, 1, made[1 - i], MPI_STATUS_IGNORE);
  }
  if (rank == 0) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Each thread has messages of its own, and handles that other threads had before. */
static void* exchange(void* comm) {
  char out[64], in[64];
  for (int i = 0; i < 2000; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(in, 64, MPI_CHAR, (rank + 1) % size, 0, *(MPI_Comm*)comm, &requests[0]);
    MPI_Isend(out, 8, MPI_CHAR, (rank + 1) % size, 0, *(MPI_Comm*)comm, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  return NULL;
}
static void requests(void) {
  MPI_Comm comms[4];
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, exchange, &comms[i]);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

/* On 4 ranks. */
static void sizes(void) {
  int out[64] = {0}, in[64] = {0};
  const int counts[] = {2, 4, 6, 8}, offsets[] = {0, 8, 16, 24};
  const int periods[] = {0};
  MPI_Comm line, half, both;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 10, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, offsets, MPI_INT, MPI_COMM_WORLD);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &line);
  MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, line);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &both);
  const int root = rank >= 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(in, 11, MPI_INT, root, both);
  MPI_Reduce(out, in, 13, MPI_INT, MPI_SUM, root, both);
  MPI_Gather(out, 4, MPI_INT, in, 4, MPI_INT, root, both);
  MPI_Scatter(out, 6, MPI_INT, in, 6, MPI_INT, root, both);
}

/* On 4 ranks: one group of 1 and one of 3. */
static void unequal(void) {
  int out[64] = {0}, in[64] = {0}, counts[3];
  for (int i = 0; i < 3; ++i) counts[i] = rank == 0 ? 12 : 4;
  MPI_Comm part, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &both);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, both);
  MPI_Reduce_scatter_block(out, in, counts[0], MPI_INT, MPI_SUM, both);
}

/* On 4 ranks. What Open MPI 4.1 makes of the grid says that it is one, and fails to say where it ends. */
static void grid(void) {
  const int periods[] = {0}, members[] = {0, 1};
  MPI_Comm line, part;
  MPI_Group all, two;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &line);
  MPI_Comm_group(line, &all);
  MPI_Group_incl(all, 2, members, &two);
  if (rank < 2) {
    MPI_Comm_create_group(line, two, 7, &part);
    MPI_Barrier(part);
  }
}

/* A synchronous send ends after its receive began. Calls that wait for nobody fill the logs, that
   of rank 1 sooner. */
static void synchronous(int times) {
  int value = 0;
  for (int i = 0; i < times; ++i) {
    if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int other = 0; other < 40 + 15 * rank; ++other) MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
}

/* Requests that start at once, after a receive from any source. */
static void startall(int pairs) {
  int* const in = calloc(2 * pairs, sizeof *in);
  MPI_Request* const requests = malloc(2 * pairs * sizeof *requests);
  MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_SELF, requests);
  MPI_Send(in + pairs, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  for (int i = 0; i < pairs; ++i) {
    MPI_Recv_init(in + i, 1, MPI_INT, 0, i, MPI_COMM_SELF, requests + i);
    MPI_Send_init(in + pairs + i, 1, MPI_INT, 0, i, MPI_COMM_SELF, requests + pairs + i);
  }
  MPI_Startall(2 * pairs, requests);
  MPI_Waitall(2 * pairs, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2 * pairs; ++i) MPI_Request_free(requests + i);
}

/* The counters of the process become ends of a pipe, as where a program closes what it does not know. */
static int places[64], counters, own[2];
static void* lose_counters(void* unused) {
  MPI_Barrier(MPI_COMM_SELF);
  for (int file = 3; file < 1024; ++file) {
    char path[64], target[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    readlink(path, target, sizeof target - 1);
    if (strstr(target, "perf_event") != NULL) places[counters++] = file;
  }
  for (int i = 0; i < counters; ++i) dup2(own[0], places[i]);
  MPI_Barrier(MPI_COMM_SELF);
  return unused;
}
static void closed(void) {
  pthread_t thread;
  char text[8];
  int kept = 0;
  if (pipe(own) != 0 || write(own[1], "own text", 8) != 8) abort();
  fcntl(own[0], F_SETFL, O_NONBLOCK);
  to_itself(3);
  pthread_create(&thread, NULL, lose_counters, NULL);
  pthread_join(thread, NULL);
  to_itself(5);
  for (int i = 0; i < counters; ++i) kept += fcntl(places[i], F_GETFD) >= 0;
  printf("counters: %d, kept: %d, text: %d\n", counters, kept, (int)read(own[0], text, 8));
}

/* A region with a name that is new long after the begin, and still in use long after that. */
static void named(void) {
  void (*region)(const char*, int) = (void (*)(const char*, int))dlsym(RTLD_DEFAULT, "groma_trace_region");
  for (int part = 0; part < 100; ++part) {
    for (int i = 0; i < 3000; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (part < 20) continue;
    region("a later part", 1);
    region("a later part", 0);
  }
}

/* No file can be opened for a while, long after the log is full. */
static void exhausted(void) {
  struct rlimit usual, none;
  getrlimit(RLIMIT_NOFILE, &usual);
  none = usual;
  none.rlim_cur = 3;
  for (int i = 0; i < 300000; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
  setrlimit(RLIMIT_NOFILE, &none);
  for (int i = 0; i < 100000; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
  setrlimit(RLIMIT_NOFILE, &usual);
}

/* MPI_Buffer_detach waits until what was buffered has gone. */
static void buffered(void) {
  int bytes = 1000 + MPI_BSEND_OVERHEAD, in = 0;
  void* buffer = malloc(bytes);
  MPI_Buffer_attach(buffer, bytes);
  MPI_Bsend(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Recv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&buffer, &bytes);
}

int main(int count, char** words) {
  const char* const what = words[1];
  const int is_threaded = strcmp(what, "requests") == 0 || strcmp(what, "closed") == 0; /* locks do not survive a jump */
  int level = 0;
  MPI_Init_thread(&count, &words, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "descriptors") == 0) descriptors();
  if (strcmp(what, "fork") == 0) forks();
  if (strcmp(what, "jump") == 0) jump();
  if (strcmp(what, "long") == 0) too_long();
  if (strcmp(what, "duplicates") == 0) duplicates();
  if (strcmp(what, "requests") == 0 && level == MPI_THREAD_MULTIPLE) requests();
  if (strcmp(what, "startall") == 0) startall(atoi(words[2]));
  if (strcmp(what, "closed") == 0) closed();
  if (strcmp(what, "buffered") == 0) buffered();
  if (strcmp(what, "exhausted") == 0) exhausted();
  if (strcmp(what, "named") == 0) named();
  if (strcmp(what, "sizes") == 0) sizes();
  if (strcmp(what, "unequal") == 0) unequal();
  if (strcmp(what, "grid") == 0) grid();
  if (strcmp(what, "synchronous") == 0) synchronous(atoi(words[2]));
  MPI_Finalize();
  return 0;
}
