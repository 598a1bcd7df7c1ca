// What ranks send each other, as a graph: sparse, symmetric, without loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace groma::map {

using Rank = std::uint32_t;

/// Bytes between a rank and `to`: both directions together, and those that the rank sends.
struct Arc {
  Rank to;
  double bytes;
  double sent;
};

struct Traffic {
  Rank source;
  Rank target;
  double bytes;
};

class TrafficGraph {
 public:
  /// Entries of a pair are summed; those of a rank with itself are left out.
  TrafficGraph(std::size_t ranks, const std::vector<Traffic>& traffic);

  [[nodiscard]] std::size_t ranks() const { return begin_.size() - 1; }
  [[nodiscard]] std::span<const Arc> arcs(Rank rank) const {
    return {arcs_.data() + begin_[rank], arcs_.data() + begin_[rank + 1]};
  }
  /// Of all ranks.
  [[nodiscard]] std::size_t arcs() const { return arcs_.size(); }
  /// Bytes of all pairs.
  [[nodiscard]] double bytes() const;

 private:
  std::vector<std::size_t> begin_;
  std::vector<Arc> arcs_;
};

/// Parts of the traffic, the heaviest of it, in which no rank has more than `most` partners: what is among
/// the heaviest of both ranks; what is heavier than all that some rank has beyond its `most` heaviest; and
/// the heavier halves of that. Without those that are empty or everything.
std::vector<TrafficGraph> heaviest_parts(const TrafficGraph& graph, std::size_t most);

}  // namespace groma::map
