// What ranks send each other in one iteration of a program: the entries of its communication matrix.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace groma::replay {

/// `count` messages of `bytes` each.
struct Traffic {
  int source;
  int target;
  std::uint64_t bytes;
  std::uint64_t count;
};

/// Of lines "source target bytes count". Errors (usage) name the line.
Result<std::vector<Traffic>> parse_pattern(std::string_view text, int ranks);

}  // namespace groma::replay
