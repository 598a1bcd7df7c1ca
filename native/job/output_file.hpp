// The file that results go to: replaced in one step, or appended to. It is never left half written, as far as
// the file system allows.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace groma::job {

/// One target of one run. May be written several times: each time replaces what this object wrote before,
/// so that an interrupted run leaves its results and a finished one leaves them once. Thread-safe.
class OutputFile {
 public:
  OutputFile(std::string path, bool append) : path_(std::move(path)), append_(append) {}

  /// Whether it can be written, found out without changing it. Errors (environment) name the path and the
  /// reason.
  [[nodiscard]] Status check() const;
  /// On errors (environment) the file is as it was before.
  Status write(const std::string& text);

 private:
  struct Appended {
    std::int64_t begin;
    std::string text;
    [[nodiscard]] std::int64_t end() const { return begin + static_cast<std::int64_t>(text.size()); }
  };
  Status append(const std::string& text);

  std::string path_;
  bool append_;
  std::mutex mutex_;
  std::optional<Appended> appended_;  ///< by this process, at last
};

}  // namespace groma::job
