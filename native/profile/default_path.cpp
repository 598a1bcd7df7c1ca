#include "profile/default_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace groma::profile {
namespace {

constexpr std::string_view kFile = "/groma/profile.json";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The specification ignores relative paths.
bool is_absolute(std::string_view path) {
  return path.starts_with('/');
}

void add_site_folders(std::vector<std::string>& folders, std::string_view list) {
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t colon = std::min(list.find(':', start), list.size());
    folders.emplace_back(list.substr(start, colon - start));
    start = colon + 1;
  }
}

/// Of data, by the XDG base directory specification, the most important one first.
std::vector<std::string> data_folders() {
  std::vector<std::string> folders{variable("XDG_DATA_HOME")};
  const std::string home = variable("HOME");
  if (!is_absolute(folders.front())) folders.front() = home.empty() ? "" : home + "/.local/share";
  std::string site = variable("XDG_DATA_DIRS");
  if (site.empty()) site = "/usr/local/share:/usr/share";
  add_site_folders(folders, site);
  std::erase_if(folders, [](const std::string& folder) { return !is_absolute(folder); });
  return folders;
}

}  // namespace

std::string default_path() {
  if (std::string named = variable("GROMA_PROFILE"); !named.empty()) return named;
  std::vector<std::string> files = data_folders();
  for (std::string& file : files) file += kFile;
  const auto there =
      std::ranges::find_if(files, [](const auto& file) { return access(file.c_str(), F_OK) == 0; });
  if (there != files.end()) return *there;
  return files.empty() ? "" : files.front();
}

Result<Profile> open_default() {
  const std::string file = default_path();
  const char* next = "write it with: groma survey --default, or name another one in GROMA_PROFILE";
  if (file.empty()) return Error{"profile.unreadable", "no folder for a profile is known", next};
  Result<Profile> profile = Profile::open(file);
  if (!profile && profile.error().code == "profile.unreadable") {
    return Error{"profile.unreadable", profile.error().what, next};
  }
  return profile;
}

}  // namespace groma::profile
