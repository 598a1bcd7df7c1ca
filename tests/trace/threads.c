/* Threads whose ends, stacks and regions are not those of most.
 *   threads race | small | ended COUNT
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*value)(const char*, unsigned long long);
static volatile int is_over;

/* Notes values until long after MPI_Finalize. */
static void* note(void* unused) {
  const char* const name = "a value with a name of eighty letters, which takes much of the room that a log has";
  for (unsigned long long i = 0; !is_over; ++i) value(name, ~0ull - i);
  return unused;
}

static void race(void) {
  pthread_t threads[64];
  value = (void (*)(const char*, unsigned long long))dlsym(RTLD_DEFAULT, "groma_trace_value");
  for (int i = 0; i < 64; ++i) pthread_create(&threads[i], NULL, note, NULL);
  usleep(50000);
  MPI_Finalize();
  usleep(300000);
  is_over = 1;
  for (int i = 0; i < 64; ++i) pthread_join(threads[i], NULL);
  puts("ended well");
}

static void* do_nothing(void* unused) { return unused; }

static void small(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 4096);
  const int problem = pthread_create(&thread, &attributes, do_nothing, NULL);
  if (problem == 0) pthread_join(thread, NULL);
  puts(problem == 0 ? "started" : strerror(problem));
}

static void* call(void* unused) {
  int rank, has_come;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &has_come, MPI_STATUS_IGNORE);
  return unused;
}
static pthread_key_t key;
static void call_at_end(void* unused) { call(unused); }
static void* call_twice(void* unused) {
  pthread_setspecific(key, &key);
  return call(unused);
}

static long resident(void) {
  long pages = 0, ignored = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%ld %ld", &ignored, &pages) != 2) abort();
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Prints by how many KiB a process grew for each thread that has ended. */
static void ended(int count) {
  pthread_t thread;
  long before = 0;
  pthread_key_create(&key, call_at_end);
  for (int i = 0; i < count; ++i) {
    pthread_create(&thread, NULL, i % 100 == 0 ? call_twice : call, NULL);
    pthread_join(thread, NULL);
    if (i == count / 2) before = resident();
  }
  printf("%ld\n", (resident() - before) / (count / 2));
}

int main(int count, char** words) {
  const char* const what = words[1];
  int level = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &level);
  if (strcmp(what, "race") == 0) {
    race();
    return 0;
  }
  if (strcmp(what, "small") == 0) small();
  if (strcmp(what, "ended") == 0) ended(atoi(words[2]));
  MPI_Finalize();
  return 0;
}
