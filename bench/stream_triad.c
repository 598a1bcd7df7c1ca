/* Plain STREAM triad (McCalpin's definition: a = b + s c, 24 bytes an element), the peer that bench/triad.py
   compiles with and without OpenMP. Prints the bandwidth of every pass in bytes per second, one a line.
   usage: stream_triad TOTAL_BYTES PASSES HUGE(0|1) */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double* array(size_t n, int huge) {
  const size_t page = (size_t)1 << 21, bytes = (n * sizeof(double) + page - 1) / page * page;
  double* const data = aligned_alloc(page, bytes);
  if (data == NULL) exit(EXIT_FAILURE);
  madvise(data, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return data;
}

int main(int argc, char** argv) {
  if (argc != 4) return EXIT_FAILURE;
  const size_t n = strtoull(argv[1], NULL, 10) / 3 / sizeof(double);
  const int passes = atoi(argv[2]), huge = atoi(argv[3]);
  double* const restrict a = array(n, huge);
  double* const restrict b = array(n, huge);
  double* const restrict c = array(n, huge);
  const double scalar = 3.0;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; ++i) {
    a[i] = 0.0;
    b[i] = 2.0;
    c[i] = 1.0;
  }
  for (int pass = 0; pass < passes; ++pass) {
    const double start = seconds();
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; ++i) a[i] = b[i] + scalar * c[i];
    const double elapsed = seconds() - start;
    c[pass] = 1.0 + pass; /* each pass has something new to compute */
    printf("%.6e\n", 24.0 * (double)n / elapsed);
  }
  return a[n - 1] == 5.0 && a[0] == 5.0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
