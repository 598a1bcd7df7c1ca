// Stores to memory that another core reads next.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>
#define GROMA_WRITES_PAST_CACHES
#endif

#include <cstdint>

namespace groma::randomaccess {

/// Writes past the caches. A plain store would first fetch the line from the reader's cache, and stores leave
/// a core in order: between cores without a common cache, all updates would wait for it (0.14 instead of 0.26
/// GUP/s with two such cores of a Zen 4 guest). The thread sanitizer sees plain stores only.
inline void write_past_caches(std::uint64_t* to, std::uint64_t value) {
#ifdef GROMA_WRITES_PAST_CACHES
  _mm_stream_si64(reinterpret_cast<long long*>(to), static_cast<long long>(value));
#else
  *to = value;
#endif
}

/// Orders such writes before the count that tells of them.
inline void end_of_writes() {
#ifdef GROMA_WRITES_PAST_CACHES
  _mm_sfence();
#endif
}

}  // namespace groma::randomaccess

#undef GROMA_WRITES_PAST_CACHES
