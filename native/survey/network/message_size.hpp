// How large messages may be, so that all exchanges fit into the time budget.
#pragma once

#include <cstdint>
#include <functional>

#include "base/units.hpp"

namespace groma::survey::network {

constexpr std::uint64_t kMinMessage = 64 << 10U;

/// What a message may be, and how often it will be exchanged.
struct MessageLimits {
  std::uint64_t most;
  std::size_t exchanges;
  std::uint64_t least = kMinMessage;
};

/// The time of an exchange: a constant, and a part for each kibibyte.
struct ExchangeCost {
  Seconds start;
  Seconds per_kibibyte;
};

/// The largest message, in whole kibibytes, with which the exchanges fit `time`. Within the limits.
std::uint64_t fitting_message(const MessageLimits& limits, Seconds time, const ExchangeCost& cost);

/// The size that fits what `left` says when growing messages have been tried. `time` is that of one exchange
/// of so many bytes, the fastest of so many tries; where both are collective and the same on all ranks, so is
/// this.
std::uint64_t fit_message(const MessageLimits& limits, const std::function<Seconds()>& left,
                          const std::function<Seconds(std::uint64_t bytes, int tries)>& time);

}  // namespace groma::survey::network
