/* How many lines of memory one core updates at random places of a table, with the prefetches of 64 of them under way:
   the bound that bench/torus.py prints for a simulator whose state is as large. Prints millions of lines per second.
   usage: random_lines BYTES LINES */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { kLine = 64, kAhead = 64 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_line(uint64_t* state, uint64_t lines) { /* xorshift64 (Marsaglia 2003) */
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (uint64_t)(((unsigned __int128)*state * lines) >> 64);
}

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  const size_t page = (size_t)1 << 21, bytes = (strtoull(argv[1], NULL, 10) + page - 1) / page * page;
  const uint64_t lines = bytes / kLine, updates = strtoull(argv[2], NULL, 10);
  char* const table = aligned_alloc(page, bytes);
  if (table == NULL) return EXIT_FAILURE;
  madvise(table, bytes, MADV_HUGEPAGE);
  memset(table, 1, bytes);
  uint64_t state = 88172645463325252, next[kAhead] = {0};
  const double begin = seconds();
  for (uint64_t i = 0; i < updates; ++i) {
    ++table[next[i % kAhead] * kLine];
    next[i % kAhead] = random_line(&state, lines);
    __builtin_prefetch(table + (next[i % kAhead] * kLine));
  }
  printf("%.1f\n", (double)updates / (seconds() - begin) / 1e6);
  return EXIT_SUCCESS;
}
