#include "base/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace groma {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream fields(text);
  for (std::string part; std::getline(fields, part, separator);) parts.push_back(part);
  return parts;
}

bool contains(const std::vector<std::string>& parts, std::string_view wanted) {
  return std::ranges::find(parts, wanted) != parts.end();
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

/// The kernel writes blanks and backslashes in paths of mountinfo as a backslash and three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (; !text.empty(); text.remove_prefix(1)) {
    const bool is_escape =
        text.size() > 3 && text[0] == '\\' && std::ranges::all_of(text.substr(1, 3), is_octal);
    plain +=
        is_escape ? static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0')) : text[0];
    if (is_escape) text.remove_prefix(3);
  }
  return plain;
}

/// A mounted hierarchy: `group` is the one that is seen at `point`.
struct Mount {
  std::string group;
  std::string point;
  int version;
};

/// Lines of mountinfo: "… ROOT POINT OPTIONS … - TYPE SOURCE OPTIONS"; those of version 1 name controllers.
std::vector<Mount> mounts_of(std::string_view controller, const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> place = split(line.substr(0, dash), ' ');
    const std::vector<std::string> system = split(line.substr(dash + 3), ' ');
    if (place.size() < 5 || system.size() < 3) continue;
    const bool is_version_1 = system[0] == "cgroup" && contains(split(system[2], ','), controller);
    if (system[0] != "cgroup2" && !is_version_1) continue;
    mounts.push_back({unescaped(place[3]), unescaped(place[4]), is_version_1 ? 1 : 2});
  }
  return mounts;
}

/// Lines of /proc/self/cgroup: "0::/a/b" (version 2) and "4:cpu,cpuacct:/a/b".
std::string group_of(std::string_view controller, int version, const std::string& root) {
  std::ifstream file(root + "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_asked = version == 2 ? controllers.empty() : contains(split(controllers, ','), controller);
    if (is_asked) return line.substr(second + 1);
  }
  return "/";
}

/// Whether `group` is `outer` or one of the groups in it.
bool is_within(const std::string& group, const std::string& outer) {
  return group.starts_with(outer) && (group.size() == outer.size() || group[outer.size()] == '/');
}

std::vector<std::string> parts_below(const Mount& mount, std::string group) {
  if (is_within(group, mount.group)) group.erase(0, mount.group.size());
  std::vector<std::string> parts = split(group, '/');
  std::erase_if(parts, [](const std::string& part) { return part.empty() || part == ".."; });
  return parts;
}

}  // namespace

std::vector<CgroupFolder> cgroup_folders(std::string_view controller, std::string_view root) {
  const std::string base(root);
  std::vector<CgroupFolder> folders;
  for (const Mount& mount : mounts_of(controller, base)) {
    std::string path = base + mount.point.substr(std::min<std::size_t>(mount.point.size(), 1)) + "/";
    std::vector<CgroupFolder> upwards = {{path, mount.version}};
    for (const std::string& part : parts_below(mount, group_of(controller, mount.version, base))) {
      path += part + "/";
      upwards.push_back({path, mount.version});
    }
    folders.insert(folders.end(), upwards.rbegin(), upwards.rend());
  }
  return folders;
}

}  // namespace groma
