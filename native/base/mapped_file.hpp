// A file in memory, read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/result.hpp"

namespace groma {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  /// Copies a small file where the process has many `others` mapped: their number is limited.
  static Result<MappedFile> open(const std::filesystem::path& path, std::size_t others);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  /// Lets the system take back the memory of what lies before `offset`.
  void forget_before(std::size_t offset) const;

 private:
  MappedFile(const std::uint8_t* data, std::size_t size, bool mapped)
      : data_(data), size_(size), mapped_(mapped) {}
  static Result<MappedFile> mapping_of(int file, std::size_t size, const std::filesystem::path& path);
  static Result<MappedFile> copy_of(int file, std::size_t size, const std::filesystem::path& path);
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace groma
