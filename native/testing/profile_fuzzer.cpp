#include "testing/profile_fuzzer.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "groma/groma.h"

namespace groma::test {
namespace {

void check(groma_status status) {
  const std::string_view line = groma_last_error();
  if (status == GROMA_OK) return;
  if (line.empty() || line.find('\n') != std::string_view::npos) std::abort();
}

void ask_node(const groma_profile* profile) {
  groma_quantity found{};
  groma_core_list cores{};
  groma_core_info core{};
  std::size_t count = 0;
  double distance = 0.0;
  check(groma_core_count(profile, &count));
  check(groma_core(profile, 1, &core));
  check(groma_core_frequency(profile, &found));
  check(groma_cache_count(profile, &count));
  for (int level = 0; level < 4; ++level) {
    check(groma_cache_size(profile, level, &found));
    check(groma_cache_group_count(profile, level, &count));
    check(groma_cache_group(profile, level, 1, &cores));
    check(groma_cache_sharers(profile, level, 1, &cores));
    check(groma_tlb_reach(profile, level, 4096, &found));
  }
  check(groma_memory_bandwidth(profile, "triad", 2, &found));
  check(groma_memory_contention_group(profile, 0, &cores));
  check(groma_memory_group_bandwidth(profile, 0, 2, &found));
  check(groma_memory_group_saturates_at(profile, 0, &count));
  check(groma_memory_read_fraction(profile, 0, &distance));
  check(groma_memory_loaded_latency(profile, 0, 1e9, &found));
  check(groma_numa_places(profile, nullptr, &cores));
  check(groma_numa_time(profile, "ping_back.owner_first", 0, 1, &found));
  check(groma_numa_block(profile, "random", &count));
  check(groma_numa_ratio(profile, 0, 1, &found));
  check(groma_numa_declared_distance(profile, 0, 1, &distance));
  check(groma_core_to_core_latency(profile, 0, 1, &found));
}

void ask_network(const groma_profile* profile) {
  groma_quantity found{};
  const char* name = nullptr;
  std::size_t layer = 0;
  std::array<groma_place, 5> places{};
  check(groma_layer_count(profile, &layer));
  check(groma_layer_name(profile, 0, &name));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{1} << 40U}) {
    check(groma_layer_time(profile, 0, bytes, &found));
    check(groma_message_bandwidth(profile, {0, 0}, {1, 1}, bytes, &found));
  }
  check(groma_layer_between(profile, {0, 0}, {0, 1}, &layer));
  check(groma_network_distance_ratio(profile, 2, &found));
  check(groma_network_access_ratio(profile, 2, &found));
  check(groma_mapping(profile, GROMA_COMMUNICATION_INTENSIVE, 3, places.size(), places.data()));
}

void ask_paths(const groma_profile* profile) {
  groma_quantity found{};
  const char* text = nullptr;
  std::size_t count = 0;
  double number = 0.0;
  for (const char* path : {"", ".", "node", "node.caches.0.size", "network.layers.1.name", ".created",
                           ".samples", ".samples.clock.cases.0", "a..b"}) {
    check(groma_profile_quantity(profile, path, &found));
    check(groma_profile_text(profile, path, &text));
    check(groma_profile_number(profile, path, &number));
    check(groma_profile_count(profile, path, &count));
    check(groma_profile_key(profile, path, 1, &text));
  }
}

}  // namespace

bool read_as_profile(std::string_view bytes) {
  groma_profile* profile = nullptr;
  const groma_status status = groma_profile_parse(bytes.data(), bytes.size(), &profile);
  check(status);
  if (status != GROMA_OK) return false;
  ask_node(profile);
  ask_network(profile);
  ask_paths(profile);
  groma_profile_close(profile);
  return true;
}

}  // namespace groma::test

/// What libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length) {
  groma::test::read_as_profile({reinterpret_cast<const char*>(bytes), length});
  return 0;
}
