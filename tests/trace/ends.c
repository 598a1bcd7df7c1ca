/* Programs that end as programs do, that call MPI in threads, and that name regions.
 *   ends exit | abort | killed | regions | threads | pages | wait | clocks | loop COUNT [BYTES THAT A FILE MAY HAVE]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, size;

static void to_itself(int times, int tag, MPI_Comm comm) {
  int out = 1, in = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Sendrecv(&out, 1, MPI_INT, rank, tag, &in, 1, MPI_INT, rank, tag, comm, MPI_STATUS_IGNORE);
  }
}

static void* thread_main(void* comm) {
  to_itself(100, 5, *(MPI_Comm*)comm);
  return NULL;
}

static void in_threads(void) {
  MPI_Comm comms[3];
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, thread_main, &comms[i]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}

static void limit_files(rlim_t bytes) {
  const struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

/* Each fresh page is one page fault. */
static void touch(size_t pages) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* const start = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(start, pages * page, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < pages; ++i) ((volatile char*)start)[i * page] = 1;
  munmap(start, pages * page);
}

static void on_pages(void) {
  void (*region)(const char*, int) = (void (*)(const char*, int))dlsym(RTLD_DEFAULT, "groma_trace_region");
  for (size_t pages = 1000; pages <= 3000; pages += 1000) {
    touch(pages);
    to_itself(1, 1, MPI_COMM_WORLD);
  }
  if (region == NULL) return;
  touch(4000);
  region("touching", 1);
  touch(5000);
  region("touching", 0);
  to_itself(1, 1, MPI_COMM_WORLD);
}

static volatile sig_atomic_t asked_to_end;
static void end_soon(int number) {
  (void)number;
  asked_to_end = 1;
}

static void until_asked(void) {
  signal(SIGTERM, end_soon);
  puts("waiting");
  fflush(stdout);
  while (!asked_to_end) usleep(1000);
  puts("cleaned up");
}

static void in_regions(void) {
  void (*region)(const char*, int) = (void (*)(const char*, int))dlsym(RTLD_DEFAULT, "groma_trace_region");
  void (*value)(const char*, unsigned long long) =
      (void (*)(const char*, unsigned long long))dlsym(RTLD_DEFAULT, "groma_trace_value");
  if (region == NULL || value == NULL) return;
  region("solver", 1);
  value("residual", 42);
  to_itself(1, 1, MPI_COMM_WORLD);
  region("panel", 1);
  to_itself(1, 1, MPI_COMM_WORLD);
  region("panel", 0);
  region("solver", 0);
}

int main(int argc, char** argv) {
  int provided;
  const char* const how = argc > 1 ? argv[1] : "";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  to_itself(10, 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "exit") == 0) _exit(rank == 0 ? 5 : 0);
  if (strcmp(how, "abort") == 0 && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(how, "killed") == 0 && rank == size - 1) raise(SIGKILL);
  if (strcmp(how, "abort") == 0 || strcmp(how, "killed") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "regions") == 0) in_regions();
  if (strcmp(how, "pages") == 0) on_pages();
  if (strcmp(how, "clocks") == 0) {
    for (int i = 0; i < 300; ++i) {
      int ours = rank, theirs = 0, other = size - 1 - rank;
      MPI_Sendrecv(&ours, 1, MPI_INT, other, 3, &theirs, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  if (strcmp(how, "wait") == 0) until_asked();
  if (strcmp(how, "threads") == 0 && provided == MPI_THREAD_MULTIPLE) in_threads();
  if (strcmp(how, "loop") == 0 && argc > 3) limit_files((rlim_t)atol(argv[3]));
  if (strcmp(how, "loop") == 0) to_itself(atoi(argv[2]), 1, MPI_COMM_WORLD);
  MPI_Finalize();
  return asked_to_end ? 9 : 0;
}
