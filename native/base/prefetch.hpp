// Brings lines of memory into the caches ahead of their use.
#pragma once

#include <cstddef>
#include <span>

namespace groma {

inline constexpr std::size_t kPrefetchedLine = 64;  ///< bytes

/// GCC takes a function that does nothing but prefetch to have no effect, and drops the calls of it. The
/// empty statement is an effect.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("" : : "r"(address));
}

/// Of whole lines.
inline void prefetch_lines(std::span<const std::byte> lines) {
  for (std::size_t first = 0; first < lines.size(); first += kPrefetchedLine) prefetch(&lines[first]);
}

template <class T>
void prefetch_array(const T* first, std::size_t count) {
  const auto* begin = reinterpret_cast<const char*>(first);
  const auto* end = reinterpret_cast<const char*>(first + count);
  for (const char* line = begin; line < end; line += kPrefetchedLine) prefetch(line);
  if (count != 0) prefetch(end - 1);
}

}  // namespace groma
