// What recording a call costs, measured at the start.
#pragma once

#include <array>
#include <cstdint>

#include "trace/log/format.hpp"

namespace groma::trace {

/// In 1/256 ticks, and counters in 1/256.
struct CallCost {
  using Counts = std::array<std::uint64_t, log::kMaxCounters>;

  std::uint64_t all;
  std::uint64_t inside;  ///< the part that lies in the recorded duration
  Counts counted_inside;
  Counts counted_outside;
};

/// Of this thread, whose log is open; the log forgets the calls that this takes.
CallCost measure_call_cost();

}  // namespace groma::trace
