// A file that takes the place of another only when it is complete.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace groma {

/// Written beside PATH. What was at PATH stays until keep(), and for good if it is never called. Of several
/// that are written at once, each is complete; the one that is kept last stays. A device or pipe is written
/// directly.
///
/// The file has no name until keep(), so that nothing is left of a process that is killed. Where the file
/// system has no such files, it has a name of its own, `.groma-….tmp`.
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
  /// Closes the file once it is on the disk, and renames it to PATH. After a failure, removes it.
  void keep();
  /// The first failure (unwritable).
  [[nodiscard]] Status status() const;

 private:
  struct Place {
    std::string target;     ///< where the path leads
    std::string part = {};  ///< the name of what is written, if it has one
    bool is_direct = false;
  };

  TempFile(std::string path, Place place, int file);
  static int open(Place& place);
  void fail();
  void give_name();
  void replace_target();

  std::string path_;  ///< as the user calls it
  Place place_;
  int file_;
  std::string failure_;
};

}  // namespace groma
