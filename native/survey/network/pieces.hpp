// In which pieces a message is sent. MPI sends a long message only after the receiver has answered, and where
// one connection carries both directions (TCP), that answer waits behind the receiver's own data: an exchange
// then runs at half the rate of the network, now and then. Short pieces need no answer before they are sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace groma::survey::network {

/// The size of each piece, and how many are on their way at most.
struct Pieces {
  std::uint64_t bytes;
  std::size_t in_flight;

  /// Of a message that is long enough for its rate to be that of the network with these pieces.
  [[nodiscard]] std::uint64_t least_message() const { return 2 * bytes * in_flight; }
  bool operator==(const Pieces&) const = default;
};

/// Below the sizes from which common transports ask the receiver first: 16 KiB (UCX and libfabric over TCP),
/// with room for their headers.
constexpr Pieces kShortestPieces{.bytes = 12 << 10U, .in_flight = 16};

/// As they are of a message of so many bytes: at least four, so that its rate is known while it is sent.
Pieces pieces_of(std::uint64_t message, const Pieces& pieces);

/// The rate (B/s) of one message of so many bytes, as all ranks see it.
using RateOf = std::function<double(const Pieces& pieces, std::uint64_t message)>;

/// What trying may take: messages of so many bytes at most, and of so many seconds, as long as it may go on.
struct TrialLimits {
  std::uint64_t most;
  double seconds;
  std::function<bool()> goes_on = [] { return true; };
};

/// Pieces, and the rate (B/s) that messages typically have with them.
struct TriedPieces {
  Pieces pieces;
  double rate;
};

/// The pieces with which messages are fastest. More or longer ones only where they are typically faster than
/// shorter ones, and no try is much slower: protocols that stall do not stall each time.
TriedPieces fastest_pieces(const TrialLimits& limits, const RateOf& rate);

}  // namespace groma::survey::network
