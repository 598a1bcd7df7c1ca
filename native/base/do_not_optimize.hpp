// Keeps the compiler from removing or merging the work that a probe times.
#pragma once

namespace groma {

/// Returns its argument as a value that the compiler knows nothing about. Costs no instruction.
template <class T>
inline T do_not_optimize(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// Makes the compiler assume that all memory is read and written here.
inline void clobber_memory() {
  asm volatile("" ::: "memory");
}

}  // namespace groma
