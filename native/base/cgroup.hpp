// The control groups of this process, version 1 and 2: whatever limits them or an ancestor limits the
// process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace groma {

/// A folder of a mounted hierarchy, with a slash at its end.
struct CgroupFolder {
  std::string path;
  int version;
};

/// The folders of this process's groups that may hold files of `controller`, such as "memory": its own group
/// first, then every ancestor that is mounted. A group outside what a container has mounted is left out.
/// `root` is "/" but for tests.
std::vector<CgroupFolder> cgroup_folders(std::string_view controller, std::string_view root = "/");

}  // namespace groma
