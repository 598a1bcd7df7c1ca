// A disk that loses what was kept on it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace groma::test {

/// Empties the files of all SortedRuns of this process, which can then read no more of them. How many there
/// were.
inline std::size_t cut_sorted_runs() {
  std::vector<int> files;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    const std::string target = std::filesystem::read_symlink(entry.path(), closed).string();
    if (target.find("groma-runs-") != std::string::npos) {
      files.push_back(std::atoi(entry.path().filename().c_str()));  // NOLINT(cert-err34-c)
    }
  }
  std::size_t cut = 0;
  for (const int file : files) cut += ::ftruncate(file, 0) == 0 ? 1 : 0;
  return cut;
}

}  // namespace groma::test
