// Pages that nobody touched: each costs one page fault, and no other is caused.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace groma::fake {

class FreshPages {
 public:
  explicit FreshPages(std::size_t count)
      : bytes_(count * size()),
        start_(static_cast<volatile char*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    madvise(const_cast<char*>(start_), bytes_, MADV_NOHUGEPAGE);
  }
  ~FreshPages() { munmap(const_cast<char*>(start_), bytes_); }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;
  FreshPages(FreshPages&&) = delete;
  FreshPages& operator=(FreshPages&&) = delete;

  /// The next `count` pages; all that are left by default. Without the sanitizers, whose shadow of these
  /// pages is fresh as well. (So is that of the mapping itself: map before counting.)
  __attribute__((no_sanitize("address", "thread"))) void touch(std::size_t count = ~std::size_t{0}) {
    const std::size_t left = (bytes_ - at_) / size();
    for (std::size_t i = 0; i < count && i < left; ++i, at_ += size()) start_[at_] = 1;
  }

 private:
  static std::size_t size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  std::size_t bytes_;
  volatile char* start_;
  std::size_t at_ = 0;
};

}  // namespace groma::fake
