// What kind of call it is, as its event says.
#pragma once

#include <compare>
#include <cstdint>

namespace groma::trace {

/// Event type and value of a call.
struct CallKey {
  std::uint32_t type = 0;
  std::uint64_t value = 0;
  friend auto operator<=>(const CallKey&, const CallKey&) = default;
};

}  // namespace groma::trace
