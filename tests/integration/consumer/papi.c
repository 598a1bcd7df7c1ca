/* A PAPI of version 7.1 with one event, which counts the readings of it, and one that it lists but cannot
 * add. */
#include <string.h>

static long long readings;

int PAPI_library_init(int version) {
  return version == ((7 << 24) | (1 << 16)) ? version : -1;
}

int PAPI_thread_init(unsigned long (*thread)(void)) {
  return thread == 0;
}

int PAPI_create_eventset(int* set) {
  *set = 1;
  return 0;
}

int PAPI_add_named_event(int set, const char* name) {
  return set == 1 && strcmp(name, "READS") == 0 ? 0 : -7;
}

int PAPI_start(int set) {
  return set == 1 ? 0 : -1;
}

int PAPI_read(int set, long long* values) {
  values[0] = readings++;
  return set == 1 ? 0 : -1;
}

int PAPI_stop(int set, long long* values) {
  return set == 1 && values == 0 ? 0 : -1;
}

int PAPI_cleanup_eventset(int set) {
  return set == 1 ? 0 : -1;
}

int PAPI_destroy_eventset(int* set) {
  *set = -1;
  return 0;
}

const char* PAPI_strerror(int error) {
  return error == -7 ? "the planted refusal -7" : "another error";
}
