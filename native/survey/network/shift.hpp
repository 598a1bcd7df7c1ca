// All ranks send at once, each to one and from one other: the pattern of the Distance Benchmark and of the
// Network Access Benchmark (González-Domínguez et al. 2013, Servet 3.0, section 4).
#pragma once

#include <cstdint>
#include <span>

#include "survey/network/buffers.hpp"
#include "survey/network/pieces.hpp"
#include "survey/network/probe.hpp"
#include "survey/network/rounds.hpp"

namespace groma::survey::network {

/// The ranks that this rank sends to and receives from.
struct Shift {
  int to;
  int from;
};

/// The time in which a rank receives its message while all ranks send. Every rank goes on sending until the
/// last one has its message, and the rate of each is that of all it received in this common time: a rank that
/// an unfair network serves first would otherwise leave its share to the others, and a mean over ranks would
/// exceed what links carry. What comes before every rank has a quarter of its message does not count: queues
/// and token buckets let it pass for free.
struct ShiftTiming {
  Seconds start;  ///< of the exchange, by the own clock
  Seconds time;   ///< of the message
  Seconds whole;  ///< from the start until nothing is on its way any more
};

class ShiftBench {
 public:
  ShiftBench(const Context& context, Buffers buffers) : context_(context), buffers_(std::move(buffers)) {}

  /// Collective: from a barrier, each rank with its own shift. `notes` may be null.
  ShiftTiming run(const Shift& shift, std::uint64_t bytes, RoundNotes* notes);

  /// Collective. Sends all messages from now on in the pieces with which the shifts are fastest; their rate.
  double choose_pieces(std::span<const Shift> shifts, const TrialLimits& limits);
  [[nodiscard]] const Pieces& pieces() const { return pieces_; }

  /// Collective. Error "validation" if any message arrived corrupted.
  [[nodiscard]] Status validated() const;

 private:
  double mean_rate(std::span<const Shift> shifts, std::uint64_t bytes);

  const Context& context_;
  Buffers buffers_;
  Pieces pieces_ = kShortestPieces;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

/// Collective. The size of messages that fits the budget, sent in the pieces with which the shifts are
/// fastest; `exchanges` are those to come.
std::uint64_t fit_shifts(const Context& context, ShiftBench& bench, std::span<const Shift> shifts,
                         const SamplingRule& rule, std::size_t exchanges);

}  // namespace groma::survey::network
