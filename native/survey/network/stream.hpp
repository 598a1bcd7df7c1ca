// Several messages one after the other, to or from each of several ranks at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "mpi/communicator.hpp"

namespace groma::survey::network {

enum class Direction { kSend, kReceive };

/// To or from one peer. Two messages are on their way at a time, each with memory of its own.
struct Stream {
  int peer;
  Direction direction;
  std::array<std::span<std::byte>, 2> memory;
};

/// Not collective: with the peers of all streams. Marks what is sent with `number`.
/// From now until the last of `messages` of each stream is done.
std::vector<Seconds> run_streams(const mpi::Communicator& world, const Clock& clock,
                                 std::span<const Stream> streams, std::uint32_t messages,
                                 std::uint32_t number);

/// Messages of the streams that did not arrive with that mark.
std::uint64_t wrong_messages(std::span<const Stream> streams, std::uint32_t number);

}  // namespace groma::survey::network
