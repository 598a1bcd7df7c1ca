// The bytes of a file, unpacked where it is compressed by gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace groma::trace {

class TextSource {
 public:
  static Result<TextSource> open(const std::string& path);
  TextSource(TextSource&& other) noexcept;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  TextSource& operator=(TextSource&&) = delete;
  ~TextSource();

  /// The number of bytes that were read; 0 at the end, and where the rest cannot be read (`is_damaged`).
  std::size_t read(char* into, std::size_t room);
  /// The file cannot be read to its end: its compressed data is cut or wrong, or the device fails.
  [[nodiscard]] bool is_damaged() const { return damaged_; }

  /// What was read of it is gone.
  [[nodiscard]] bool is_pipe() const;

 private:
  struct Handle;
  explicit TextSource(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
  bool damaged_ = false;
};

}  // namespace groma::trace
