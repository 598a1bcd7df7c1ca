// How large messages may be, so that as many as are needed fit into the time there is.
#pragma once

#include <cstdint>
#include <functional>

#include "base/units.hpp"

namespace groma::survey::network {

constexpr std::uint64_t kSmallestMessage = 64 << 10U;

/// What a message may be, and how often it will be exchanged.
struct MessageLimits {
  std::uint64_t most;
  std::size_t exchanges;
  std::uint64_t least = kSmallestMessage;
};

/// The largest message, in whole kibibytes, with which the exchanges fit `time` when one of them takes
/// `one_kibibyte` for each. Within the limits.
std::uint64_t fitting_message(const MessageLimits& limits, Seconds time, Seconds one_kibibyte);

/// The size that fits what `left` says when growing messages have been tried. `time` is that of one exchange;
/// where both are collective and the same on all ranks, so is this.
std::uint64_t fit_message(const MessageLimits& limits, const std::function<Seconds()>& left,
                          const std::function<Seconds(std::uint64_t)>& time);

}  // namespace groma::survey::network
