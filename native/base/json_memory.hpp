// Memory for what is read from a file.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

namespace groma {

/// Memory of that size, in huge pages where the system has them: to get 5 MB page by page takes as long as to
/// read them. Free it with std::free. Null where there is too little.
void* memory_in_huge_pages(std::size_t bytes);

inline constexpr std::size_t kHugePageOfJson = std::size_t{2} << 20U;

/// New elements of a vector are left as they are: something is read into them.
template <class T>
struct JsonMemory {
  using value_type = T;

  JsonMemory() = default;
  template <class Other>
  explicit JsonMemory(const JsonMemory<Other>& /*other*/) {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T);
    void* place = bytes < kHugePageOfJson ? std::malloc(bytes) : memory_in_huge_pages(bytes);
    if (place == nullptr) throw std::bad_alloc();
    return static_cast<T*>(place);
  }
  void deallocate(T* place, std::size_t /*count*/) { std::free(place); }

  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class From>
  void construct(U* place, From&& from) {
    ::new (static_cast<void*>(place)) U(std::forward<From>(from));
  }

  friend bool operator==(const JsonMemory& /*one*/, const JsonMemory& /*other*/) { return true; }
};

}  // namespace groma
