// Brings lines of memory into the caches ahead of their use.
#pragma once

#include <array>
#include <cstddef>

namespace groma::sim::torus {

/// Independent loads with few instructions between them miss the caches at the same time. Prefetch
/// instructions do not do: where the system grants no huge pages, processors may drop them. On Zen 5 under
/// KVM, of links that were prefetched some visits before, 85 % still came from memory; with loads a line
/// costs 5 ns.
class LineFetcher {
 public:
  /// The address must be one that may be read.
  void add(const void* address) {
    if (size_ == addresses_.size()) fetch();
    addresses_[size_++] = static_cast<const char*>(address);
  }
  template <class T>
  void add_array(const T* first, std::size_t count) {
    const auto* begin = reinterpret_cast<const char*>(first);
    const char* end = reinterpret_cast<const char*>(first + count);
    for (const char* at = begin; at < end; at += kLine) add(at);
    if (count != 0) add(end - 1);
  }
  /// Those that were added since the last time.
  void fetch() {
    for (std::size_t i = 0; i < size_; ++i) load(addresses_[i]);
    size_ = 0;
  }

 private:
  static constexpr std::size_t kLine = 64;

  /// No access of the language: another thread may write the line, and nobody asks for the value.
  static void load(const char* address) {
#if defined(__x86_64__)
    unsigned unused = 0;  // NOLINT(misc-const-correctness): the instruction writes it
    asm volatile("movzbl %1, %0" : "=r"(unused) : "m"(*address));
#else
    __builtin_prefetch(address, 1);
#endif
  }

  std::array<const char*, 512> addresses_{};
  std::size_t size_ = 0;
};

}  // namespace groma::sim::torus
