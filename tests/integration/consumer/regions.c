/* Nested regions, a value, a region of a second thread, and what a tracer that is loaded would hear. */
#include <groma/counters.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TRACER
void groma_trace_region(const char* name, int begin);
void groma_trace_value(const char* name, unsigned long long value);

void groma_trace_region(const char* name, int begin) {
  printf("%s %s\n", begin ? "begin" : "end", name);
}

void groma_trace_value(const char* name, unsigned long long value) {
  printf("%s = %llu\n", name, value);
}
#endif

static void* work(void* unused) {
  int i;
  for (i = 0; i < 3; ++i) {
    groma_region_begin("loop");
    groma_region_end("loop");
  }
  return unused;
}

int main(int count, char** arguments) {
  pthread_t thread;
  groma_region_begin("rank");
  work(NULL);
  groma_value("iteration", 42);
  groma_region_end(NULL);
  if (count > 1 && strcmp(arguments[1], "threads") == 0) {
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
  }
  if (count > 1 && strcmp(arguments[1], "open") == 0) {
    groma_region_begin("until the end");
    exit(3);
  }
  return 0;
}
