// The processor's own counter of time, which an ordinary program may read without the kernel.
#pragma once

#include <cstdint>

namespace groma::survey {

#if defined(__x86_64__) || defined(__i386__)
inline constexpr bool kHasCycleCounter = true;
inline std::uint64_t cycle_counter() {
  return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
inline constexpr bool kHasCycleCounter = true;
inline std::uint64_t cycle_counter() {
  std::uint64_t ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
#elif defined(__powerpc64__)
inline constexpr bool kHasCycleCounter = true;
inline std::uint64_t cycle_counter() {
  return __builtin_ppc_get_timebase();
}
#elif defined(__riscv)
inline constexpr bool kHasCycleCounter = true;
inline std::uint64_t cycle_counter() {
  std::uint64_t ticks = 0;
  asm volatile("rdtime %0" : "=r"(ticks));
  return ticks;
}
#else
inline constexpr bool kHasCycleCounter = false;
inline std::uint64_t cycle_counter() {
  return 0;
}
#endif

}  // namespace groma::survey
