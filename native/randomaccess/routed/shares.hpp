// How the updates that a rank, or the ranks of a node together, may hold are divided among buckets. Pure
// functions, the same on every rank: a message has room for one bucket, so that its size has to be the same
// everywhere, however many ranks a node has.
#pragma once

#include <cstdint>

#include "randomaccess/look_ahead.hpp"
#include "randomaccess/placement.hpp"
#include "randomaccess/routed/route.hpp"

namespace groma::randomaccess {

/// How a rank spends what it may hold.
struct Shares {
  std::uint64_t window = 0;  ///< waits for its words
  std::uint64_t here = 0;    ///< bucket of updates to be applied here
  std::uint64_t bucket = 0;  ///< of each link: one fills, one is on its way. 0: the limit is too low
};

/// The limit of a node is divided by need. A rank needs a bucket that fills for each link that it sends
/// updates along, and one that is on its way, or has come, for each that it or its peer does. So ranks that
/// do not generate need fewer, and every bucket gets the same. The node with the most of them sets the size.
Shares shares_of(const Topology& topology, int rank, const Allowance& limit, const Placement& placement);

}  // namespace groma::randomaccess
