#include "trace/tracer/clock.hpp"

#include <cstdio>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace groma::trace {

bool has_steady_counter() {
#if defined(__aarch64__)
  return true;
#elif defined(__x86_64__)
  // Invariant TSC. Linux says by its choice of clock whether the counters of the sockets agree.
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8U)) != 0) {
    return true;
  }
  char source[32] = {};  // NOLINT(modernize-avoid-c-arrays)
  std::FILE* file = std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
  if (file == nullptr) {
    return false;
  }
  const bool read = std::fgets(source, sizeof source, file) != nullptr;
  std::fclose(file);
  return read && std::strncmp(source, "tsc", 3) == 0;
#else
  return false;
#endif
}

log::ClockPair clock_pair() {
  log::ClockPair best{};
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = ticks();
    const std::uint64_t monotonic = system_nanoseconds(CLOCK_MONOTONIC_RAW);
    const std::uint64_t realtime = system_nanoseconds(CLOCK_REALTIME);
    const std::uint64_t after = ticks();
    if (after - before < least) {
      least = after - before;
      best = {before + (after - before) / 2, realtime, monotonic};
    }
  }
  return best;
}

}  // namespace groma::trace
