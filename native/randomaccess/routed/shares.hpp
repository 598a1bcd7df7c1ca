// How the updates that a rank, or the ranks of a node together, may hold are divided among buckets. Pure
// functions, the same on every rank: a message has room for one bucket, so that its size has to be the same
// everywhere, however many ranks a node has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "randomaccess/look_ahead.hpp"
#include "randomaccess/placement.hpp"
#include "randomaccess/routed/messages.hpp"
#include "randomaccess/routed/route.hpp"

namespace groma::randomaccess {

/// Of a rank at a stage.
struct StagePool {
  std::uint64_t room = 0;  ///< for buckets that fill and messages under way; 0: it sends nothing
  int senders = 0;         ///< peers whose updates come in
  /// Receives, of a bucket each.
  [[nodiscard]] std::uint64_t posted() const {
    return std::min(kPosted, static_cast<std::uint64_t>(senders));
  }
};

/// How a rank spends what it may hold. There are two ways to spend it on links. In turns, each has two
/// buckets, of which one fills and one is on its way in either direction: so a message is its own receipt. In
/// pools, all buckets of a stage share the room of half of them, and a few messages are under way, each with
/// a receipt. Where a rank has few peers, turns have larger buckets, else pools do.
struct Shares {
  std::uint64_t window = 0;           ///< waits for its words
  std::uint64_t here = 0;             ///< bucket of updates to be applied here
  std::uint64_t bucket = 0;           ///< of each link. 0: the limit is too low
  std::vector<StagePool> pools = {};  ///< by stage; empty: in turns
};

/// The two ways.
enum class Way { kTurns, kPools };

/// The way with the larger buckets. The limit of a node is divided by need: a rank that does not generate,
/// and gets no updates to pass on at a stage, needs no room to send there, and every bucket gets the same.
/// The node with the greatest needs sets the size.
Shares shares_of(const Topology& topology, int rank, const Allowance& limit, const Placement& placement);
/// The same in a given way.
Shares shares_of(const Topology& topology, int rank, const Allowance& limit, const Placement& placement,
                 Way way);

}  // namespace groma::randomaccess
