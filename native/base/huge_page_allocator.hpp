// Memory of large arrays in huge pages, where the system grants them: random access to it misses the TLB
// less.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace groma {

template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);  // it is no loss where this is refused
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count * sizeof(T))); }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  static constexpr std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= kHugePage ? kHugePage : alignof(T) < 64 ? 64 : alignof(T)};
  }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace groma
