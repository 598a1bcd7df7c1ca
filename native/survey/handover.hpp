// A cache line that two cores hand to each other: each waits for the other's number and writes the next one.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace groma::survey {

/// How the number is written: by a plain store to a line that the waiting core polls by loads, or by a
/// compare-and-exchange, with which the waiting core polls too and so competes for ownership of the line.
enum class Operation { kStore, kCompareExchange };

std::string_view name_of(Operation operation);

/// How often the line goes forth and back: first untimed, until both ends run and the line is theirs.
struct RoundTrips {
  std::uint32_t warm_up;
  std::uint32_t timed;
  [[nodiscard]] constexpr std::uint32_t total() const { return warm_up + timed; }
};

/// The answering end. It and time_one_way() are called at once on different cores with the same arguments;
/// `word` starts at 0 and ends at twice the round trips. The line that holds it should hold nothing else.
void answer(std::uint32_t& word, RoundTrips trips, Operation operation);

/// The serving end; returns half the time of a round trip.
Seconds time_one_way(std::uint32_t& word, RoundTrips trips, Operation operation);

}  // namespace groma::survey
