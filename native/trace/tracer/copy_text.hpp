// Texts of a log's header.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace groma::trace {

/// With its end; cut if it is too long.
template <std::size_t size>
void copy_text(std::array<char, size>& to, std::string_view from) {
  const std::size_t length = std::min(from.size(), size - 1);
  std::copy_n(from.begin(), length, to.begin());
  to[length] = '\0';
}

}  // namespace groma::trace
