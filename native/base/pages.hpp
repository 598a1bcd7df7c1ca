// Memory with a chosen page size. Blocks stay mapped while their pool lives, so that successive rounds
// meet different physical pages: unmapping and mapping again gives the same ones back.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"

namespace groma {

enum class PageMode { kHuge, kSmall };

std::string_view name_of(PageMode mode);

/// Anonymous private memory, aligned to 2 MiB, advised for or against transparent huge pages. Owned.
class Block {
 public:
  /// Pages are untouched: the thread that writes first places them.
  static Result<Block> map(Bytes size, PageMode mode);

  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
  }

  /// Writes one byte of every 4 KiB page, from the calling thread.
  void touch() const { touch(0, size_); }
  /// Of every page that begins within these bytes.
  void touch(std::size_t begin, std::size_t end) const;

 private:
  Block(void* mapping, std::size_t mapped, std::byte* data, std::size_t size);
  void release() noexcept;

  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Soft limits on what a process maps, the largest number where there is none.
struct MappingLimits {
  Bytes address_space;  ///< ulimit -v
  Bytes data;           ///< ulimit -d
};
MappingLimits mapping_limits();

/// Memory that can be taken without swapping or hitting the limit of a cgroup or of the process; `root` is
/// "/" but for tests.
Bytes available_memory(std::string_view root = "/", const MappingLimits& limits = mapping_limits());

}  // namespace groma
