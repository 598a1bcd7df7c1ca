// A file that takes the place of another only when it is complete.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace groma {

/// Written as PATH.part beside PATH. What was at PATH stays until keep(), and for good if it is never called.
/// A device or pipe is written directly.
class TempFile {
 public:
  /// Where PATH is a link, what it leads to is replaced. Errors (unwritable) name PATH and the reason.
  static Result<TempFile> create(const std::string& path);
  TempFile(TempFile&& other) noexcept;
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  TempFile& operator=(TempFile&&) = delete;
  ~TempFile();

  /// Does nothing after a failure.
  void write(const void* data, std::size_t bytes);
  /// Closes the file and renames it to PATH. After a failure, removes it.
  void keep();
  /// The first failure (unwritable).
  [[nodiscard]] Status status() const;

 private:
  struct Place {
    std::string part;    ///< what is written
    std::string target;  ///< where the path leads; the same for a device or pipe
    [[nodiscard]] bool is_direct() const { return part == target; }
  };

  TempFile(std::string path, Place place, int file);
  void fail();

  std::string path_;  ///< as the user calls it
  Place place_;
  int file_;
  std::string failure_;
};

}  // namespace groma
