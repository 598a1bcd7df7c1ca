// All ranks send at once, each to one and from one other: the pattern of the Distance Benchmark and of the
// Network Access Benchmark (González-Domínguez et al. 2013, Servet 3.0, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "survey/network/buffers.hpp"
#include "survey/network/probe.hpp"
#include "survey/network/rounds.hpp"

namespace groma::survey::network {

/// Whom this rank sends to and receives from.
struct Shift {
  int to;
  int from;
};

/// What one rank saw of a shift: from its start until its receive was done and that of what it sent, which
/// the other end answers with an empty receipt. A send alone is done for MPI when the system has buffered it.
struct Passage {
  Seconds start;  ///< by the own clock
  Seconds time;
};

class ShiftBench {
 public:
  ShiftBench(const Context& context, Buffers buffers) : context_(context), buffers_(std::move(buffers)) {}

  /// Collective: from a barrier, each rank with its own shift. `notes` may be null.
  Passage run(const Shift& shift, std::uint64_t bytes, RoundNotes* notes);

  /// Collective. Error "validation" where any message arrived otherwise than it was sent.
  [[nodiscard]] Status validated() const;

 private:
  Passage exchange(const Shift& shift, std::uint64_t bytes);

  const Context& context_;
  Buffers buffers_;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

/// Collective. Mean over shifts of this rank, each of its slowest rank, the fastest of so many tries: one
/// that a lost packet stalled tells nothing of the network's rate.
Seconds undisturbed_time(const Context& context, ShiftBench& bench, std::span<const Shift> shifts,
                         std::uint64_t bytes, int tries);

}  // namespace groma::survey::network
