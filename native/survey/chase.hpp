// The dependent random chase: every load's address comes from the load before it, so its time is latency.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/pages.hpp"
#include "base/random.hpp"
#include "base/units.hpp"

namespace groma::survey {

/// A node of the chain. Only its first word is used; nodes lie one per cache line or further apart.
struct Link {
  Link* next;
};

/// Random visiting orders of up to `max_nodes` slots. One table per octave holds a random permutation; the
/// order for n slots is its octave's table without the slots >= n, which is a uniform permutation of n.
class ChaseOrder {
 public:
  ChaseOrder(std::size_t max_nodes, RandomStream random);

  /// Links the slots start + i * stride (i < nodes) into one random cycle by writing their first words and
  /// returns the first node visited. `stride` in bytes; `jitter` cycles through that many 64-byte offsets
  /// within a slot, so that page-strided chains do not collide in one cache set.
  Link* link(std::byte* start, std::size_t nodes, std::size_t stride, std::size_t jitter = 1) const;

  /// Reads every node of such a cycle in visiting order. The loads are independent of each other, so this
  /// brings the caches to the state after a walk in a tenth of its time.
  void read_all(std::byte* start, std::size_t nodes, std::size_t stride, std::size_t jitter = 1) const;

 private:
  [[nodiscard]] std::span<const std::uint32_t> table_for(std::size_t nodes) const;
  std::vector<std::vector<std::uint32_t>> octaves_;
};

/// Links the nodes into one cycle in the order given and returns the first; there is at least one.
Link* link_cycle(std::span<Link* const> nodes);

/// Follows the chain for `loads` steps (rounded up to a multiple of 16) and returns where it ended.
Link* walk(Link* at, std::size_t loads);

struct TimedWalk {
  Link* end;
  Seconds per_load;
};

/// Times a walk.
TimedWalk time_walk(Link* at, std::size_t loads);

}  // namespace groma::survey
