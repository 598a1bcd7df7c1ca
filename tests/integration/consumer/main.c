/* A program of somebody else: prints the measured size of the first cache of a profile. */
#include <groma/groma.h>
#include <stdio.h>

static int complain(void) {
  fprintf(stderr, "consumer: %s\n", groma_last_error());
  return 1;
}

int main(int argc, char** argv) {
  groma_profile* profile = NULL;
  groma_quantity size;
  size_t caches = 0;
  int code = 1;
  if (argc != 2 || groma_profile_open(argv[1], &profile) != GROMA_OK) return complain();
  if (groma_profile_count(profile, "node.caches", &caches) == GROMA_OK &&
      groma_profile_quantity(profile, "node.caches.0.size", &size) == GROMA_OK) {
    printf("%zu caches, first %.0f %s\n", caches, size.value, size.unit);
    code = 0;
  } else {
    complain();
  }
  groma_profile_close(profile);
  return code;
}
