#include "base/link_target.hpp"

#include <filesystem>
#include <system_error>

namespace groma {
namespace {

/// As many links in a row as Linux follows.
constexpr int kMostLinks = 40;

}  // namespace

std::string link_target(const std::string& path) {
  std::error_code problem;
  if (const auto known = std::filesystem::canonical(path, problem); !problem) return known.string();
  // What exists without a path is a pipe or a deleted file, as /dev/stdout may be.
  if (std::filesystem::exists(path, problem) || problem) return path;
  std::filesystem::path target = path;
  for (int links = 0; links < kMostLinks; ++links) {
    const auto next = std::filesystem::read_symlink(target, problem);
    if (problem) return target.string();
    target = target.parent_path() / next;
  }
  return path;
}

}  // namespace groma
