// All ranks send at once, each to one and from one other: the pattern of the Distance Benchmark and of the
// Network Access Benchmark (González-Domínguez et al. 2013, Servet 3.0, section 4).
#pragma once

#include <cstdint>
#include <span>

#include "survey/network/buffers.hpp"
#include "survey/network/probe.hpp"
#include "survey/network/rounds.hpp"

namespace groma::survey::network {

/// The ranks that this rank sends to and receives from.
struct Shift {
  int to;
  int from;
};

/// The time of one rank in a shift: from its start until it has received its message and an empty
/// acknowledgement of the message that it sent. A send alone is complete for MPI as soon as the system has
/// buffered it.
struct ShiftTiming {
  Seconds start;  ///< by the own clock
  Seconds time;
};

class ShiftBench {
 public:
  ShiftBench(const Context& context, Buffers buffers) : context_(context), buffers_(std::move(buffers)) {}

  /// Collective: from a barrier, each rank with its own shift. `notes` may be null.
  ShiftTiming run(const Shift& shift, std::uint64_t bytes, RoundNotes* notes);

  /// Collective. Error "validation" if any message arrived corrupted.
  [[nodiscard]] Status validated() const;

 private:
  ShiftTiming exchange(const Shift& shift, std::uint64_t bytes);

  const Context& context_;
  Buffers buffers_;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

/// Collective. Mean over shifts of this rank, each of its slowest rank, the fastest of `tries`: a try that a
/// lost packet stalled says nothing about the network's rate.
Seconds undisturbed_time(const Context& context, ShiftBench& bench, std::span<const Shift> shifts,
                         std::uint64_t bytes, int tries);

}  // namespace groma::survey::network
