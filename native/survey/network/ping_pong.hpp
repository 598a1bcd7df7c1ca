// Messages between two ranks, back and forth.
#pragma once

#include <cstdint>
#include <span>

#include "survey/network/probe.hpp"

namespace groma::survey::network {

/// One end of a ping-pong. The leading end sends first and takes the time.
struct PingPong {
  MPI_Comm comm;
  int peer;
  bool leads;
  std::span<std::byte> out;
  std::span<std::byte> in;  ///< as long as `out`

  /// `times` round trips, by both ends.
  void exchange(std::uint32_t times) const;
};

/// Untimed iterations, then those of a sample.
struct Iterations {
  std::uint32_t warm_ups;
  std::uint32_t timed;
};

/// As many as make a sample short compared with a disturbance, but long compared with the clock's resolution.
Iterations iterations_for(std::uint64_t bytes);

/// Mean time of a round trip, with blocking sends and receives as OSU's and hpcc's latency tests do it. By
/// both ends, with the same iterations. The first and the last byte of the last message are checked: `wrong`
/// counts those that differ from what the other end stamped with `number`.
Seconds round_trip(const Clock& clock, const PingPong& ping_pong, const Iterations& iterations,
                   std::uint32_t number, std::uint64_t& wrong);

}  // namespace groma::survey::network
