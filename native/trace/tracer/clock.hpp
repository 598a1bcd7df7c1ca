// The clock of the tracer.
#pragma once

#include <ctime>

#include "trace/log/format.hpp"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace groma::trace {

inline std::uint64_t system_nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// True if the counter of the processor runs at one rate in all states and on all cores.
bool has_steady_counter();

/// Set once, before the first use.
inline bool uses_counter = false;

inline std::uint64_t ticks() {
#if defined(__x86_64__)
  if (uses_counter) [[likely]] {
    return __rdtsc();
  }
#elif defined(__aarch64__)
  if (uses_counter) [[likely]] {
    std::uint64_t count = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
  }
#endif
  return system_nanoseconds(CLOCK_MONOTONIC);
}

/// The tightest of some readings.
log::ClockPair clock_pair();

}  // namespace groma::trace
