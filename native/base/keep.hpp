// Keeps the compiler from removing or merging the work that a probe times.
#pragma once

namespace groma {

/// Returns its argument as a value the compiler knows nothing about; costs no instruction.
template <class T>
inline T keep(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// All memory may have been read and written here.
inline void keep_memory() {
  asm volatile("" ::: "memory");
}

}  // namespace groma
