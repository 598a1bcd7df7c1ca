#include "base/json_memory.hpp"

#include <sys/mman.h>

namespace groma {

void* memory_in_huge_pages(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - kHugePageOfJson) return nullptr;
  const std::size_t whole = (bytes + kHugePageOfJson - 1) / kHugePageOfJson * kHugePageOfJson;
  void* place = std::aligned_alloc(kHugePageOfJson, whole);
  // Without huge pages it is memory all the same.
  if (place != nullptr) madvise(place, whole, MADV_HUGEPAGE);
  return place;
}

}  // namespace groma
