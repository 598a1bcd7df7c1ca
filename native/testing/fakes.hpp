// Stand-ins for what varies outside, for tests only: a folder tree such as /proc or /sys, an environment
// variable, a clock.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace groma::fake {

/// A folder that lives as long as this: in memory where the system has such folders, because creating the
/// thousands of files of a big machine on a disk takes many seconds.
class Tree {
 public:
  Tree() {
    for (const std::filesystem::path& place :
         {std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()}) {
      std::string pattern = (place / "groma-test-XXXXXX").string();
      if (mkdtemp(pattern.data()) == nullptr) continue;
      root_ = pattern;
      return;
    }
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }

  /// The root, with a slash at its end.
  [[nodiscard]] std::string root() const { return root_.string() + "/"; }

  const Tree& write(const std::filesystem::path& path, std::string_view content) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << content;
    return *this;
  }
  const Tree& remove(const std::filesystem::path& path) const {
    std::filesystem::remove_all(root_ / path);
    return *this;
  }

 private:
  std::filesystem::path root_;
};

/// An environment variable that has its old value again afterwards.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* const old = std::getenv(name_.c_str())) old_ = old;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { old_ ? setenv(name_.c_str(), old_->c_str(), 1) : unsetenv(name_.c_str()); }

 private:
  std::string name_;
  std::optional<std::string> old_;
};

/// Time passes only when a test says so.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override { return time; }
  [[nodiscard]] Seconds thread_cpu() const override { return cpu.value_or(time); }
  Seconds time{0.0};
  std::optional<Seconds> cpu;  ///< as long as it is not set, the thread gets all of the time
};

}  // namespace groma::fake
