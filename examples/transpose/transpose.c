/* transpose.c: transposes a matrix of doubles in blocks, whose size it asks of the profile of the machine.
 *
 *     transpose N [BLOCK]
 *
 * Prints the block, why it was chosen, and the best rate of five transpositions in bytes read and written a
 * second. BLOCK replaces the choice. The result is always checked. Exit codes: 0, 2 (usage), 3 (a wrong
 * element), 4 (memory).
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "block.h"

enum { ROUNDS = 5 };

static size_t smaller(size_t one, size_t other) {
  return one < other ? one : other;
}

/* The block of `from` at row i and column j into `to`, through a buffer that stays in the cache: memory then
 * sees whole rows of the block only, in reading and in writing. */
static void transpose_block(const double* from, double* to, size_t n, size_t i, size_t j, size_t block,
                            double* buffer) {
  const size_t rows = smaller(block, n - i), columns = smaller(block, n - j), stride = block + PADDING;
  size_t r, c;
  for (r = 0; r < rows; ++r) {
    for (c = 0; c < columns; ++c) buffer[c * stride + r] = from[(i + r) * n + j + c];
  }
  for (c = 0; c < columns; ++c) {
    for (r = 0; r < rows; ++r) to[(j + c) * n + i + r] = buffer[c * stride + r];
  }
}

static void transpose(const double* from, double* to, size_t n, size_t block, double* buffer) {
  size_t i, j;
  for (i = 0; i < n; i += block) {
    for (j = 0; j < n; j += block) transpose_block(from, to, n, i, j, block, buffer);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double best_time(const double* from, double* to, size_t n, size_t block, double* buffer) {
  double best = 0;
  int round;
  for (round = 0; round < ROUNDS; ++round) {
    const double start = now();
    double time;
    transpose(from, to, n, block, buffer);
    time = now() - start;
    if (round == 0 || time < best) best = time;
  }
  return best;
}

static int is_transposed(const double* from, const double* to, size_t n) {
  size_t i, j;
  for (i = 0; i < n; ++i) {
    for (j = 0; j < n; ++j) {
      if (to[j * n + i] != from[i * n + j]) return 0;
    }
  }
  return 1;
}

static int run(size_t n, block_choice choice) {
  double* from = malloc(n * n * sizeof *from);
  double* to = calloc(n * n, sizeof *to);
  double* buffer = malloc(buffer_bytes(choice.block));
  int code = 4;
  size_t i;
  if (from != NULL && to != NULL && buffer != NULL) {
    double time;
    for (i = 0; i < n * n; ++i) from[i] = (double)i;
    time = best_time(from, to, n, choice.block, buffer);
    printf("block %zu (%s), %.3g B/s\n", choice.block, choice.reason,
           2.0 * sizeof(double) * (double)(n * n) / time);
    code = is_transposed(from, to, n) ? 0 : 3;
  }
  free(buffer);
  free(to);
  free(from);
  return code;
}

/* A whole number from 1 to 2^20, or 0. */
static size_t count_of(const char* text) {
  char* end;
  const long number = strtol(text, &end, 10);
  return *end == '\0' && number > 0 && number <= 1L << 20 ? (size_t)number : 0;
}

int main(int count, char** arguments) {
  groma_profile* profile = NULL;
  const size_t n = count > 1 ? count_of(arguments[1]) : 0;
  block_choice choice;
  if (n == 0 || count > 3) {
    fprintf(stderr, "usage: transpose N [BLOCK]\n");
    return 2;
  }
  if (groma_profile_open_default(&profile) != GROMA_OK) fprintf(stderr, "note: %s\n", groma_last_error());
  choice = choose_block(profile);
  groma_profile_close(profile);
  if (count == 3) {
    choice.block = count_of(arguments[2]);
    choice.reason = "given";
    if (choice.block == 0) return 2;
  }
  return run(n, choice);
}
