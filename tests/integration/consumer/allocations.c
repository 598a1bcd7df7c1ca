/* Counts what the getters of libgroma allocate: nothing. malloc() and its like are those of this program. */
#include <groma/groma.h>
#include <stdio.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* block, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static unsigned long allocations = 0;

void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* block, size_t size) {
  ++allocations;
  return __libc_realloc(block, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

/* Each getter with what it knows, what it does not know and what it refuses. Returns how many succeeded. */
static int ask(const groma_profile* profile) {
  groma_quantity q;
  groma_core_list list;
  groma_core_info core;
  size_t n;
  double number;
  const char* text;
  int known = 0;
  const groma_place here = {0, 0};
  int level;
#define ASK(call) known += (call) == GROMA_OK
  ASK(groma_core_count(profile, &n));
  ASK(groma_core(profile, 0, &core));
  ASK(groma_core(profile, 100000, &core));
  ASK(groma_core_frequency(profile, &q));
  ASK(groma_cache_count(profile, &n));
  for (level = 0; level < 5; ++level) {
    const groma_place there = {level, level + 1};
    ASK(groma_cache_size(profile, level, &q));
    ASK(groma_cache_latency(profile, level, &q));
    ASK(groma_cache_line(profile, level, &q));
    ASK(groma_cache_associativity(profile, level, &q));
    ASK(groma_cache_group_count(profile, level, &n));
    ASK(groma_cache_group(profile, level, 1, &list));
    ASK(groma_cache_sharers(profile, level, 1, &list));
    ASK(groma_tlb_reach(profile, level, 4096, &q));
    ASK(groma_tlb_miss_cost(profile, level, 4096, &q));
    ASK(groma_memory_bandwidth(profile, "triad", (size_t)level, &q));
    ASK(groma_memory_contention_group(profile, (size_t)level, &list));
    ASK(groma_memory_group_bandwidth(profile, (size_t)level, 2, &q));
    ASK(groma_memory_group_saturates_at(profile, (size_t)level, &n));
    ASK(groma_memory_read_fraction(profile, (size_t)level, &number));
    ASK(groma_memory_loaded_latency(profile, (size_t)level, 2e10, &q));
    ASK(groma_numa_time(profile, "ping_back.owner_first", 0, level, &q));
    ASK(groma_numa_block(profile, "random", &n));
    ASK(groma_numa_ratio(profile, 0, level, &q));
    ASK(groma_numa_declared_distance(profile, 0, level, &number));
    ASK(groma_core_to_core_latency(profile, 0, level, &q));
    ASK(groma_layer_name(profile, (size_t)level, &text));
    ASK(groma_layer_latency(profile, (size_t)level, &q));
    ASK(groma_layer_bandwidth(profile, (size_t)level, &q));
    ASK(groma_layer_time(profile, (size_t)level, 3000, &q));
    ASK(groma_layer_between(profile, here, there, &n));
    ASK(groma_message_time(profile, here, there, 3000, &q));
    ASK(groma_message_bandwidth(profile, here, there, 3000, &q));
    ASK(groma_network_distance_ratio(profile, (size_t)level, &q));
    ASK(groma_network_access_ratio(profile, (size_t)level, &q));
  }
  ASK(groma_memory_latency(profile, &q));
  ASK(groma_memory_contention_group_count(profile, &n));
  ASK(groma_numa_places(profile, &text, &list));
  ASK(groma_layer_count(profile, &n));
  ASK(groma_network_distance_count(profile, &n));
  ASK(groma_network_access_count(profile, &n));
  ASK(groma_profile_quantity(profile, "node.memory.latency", &q));
  ASK(groma_profile_quantity(profile, "node.caches.99.a path that is longer than any short text", &q));
  ASK(groma_profile_number(profile, "node.caches.0.level", &number));
  ASK(groma_profile_text(profile, ".created", &text));
  ASK(groma_profile_count(profile, "node.caches", &n));
  ASK(groma_profile_key(profile, "node.memory", 0, &text));
  return known;
}

int main(int count, char** arguments) {
  groma_profile* profile = NULL;
  unsigned long before, opened;
  int known;
  if (count != 2 || groma_profile_open(arguments[1], &profile) != GROMA_OK) return 1;
  opened = allocations; /* counting works: to open a profile allocates */
  before = allocations;
  known = ask(profile);
  before = allocations - before;
  printf("%d answers, %lu allocations, opened with %s\n", known, before, opened > 0 ? "some" : "none");
  groma_profile_close(profile);
  return 0;
}
