// Where links lead, for files that replace others.
#pragma once

#include <string>

namespace groma {

/// The path that a file at `path` has once links are followed, so that replacing it does not replace a link;
/// also where there is no file yet. `path` itself where it leads to no path: a pipe, or links in a circle.
std::string link_target(const std::string& path);

}  // namespace groma
