// How little the busiest link can carry: bounds for any mapping, and for few ranks the mapping that has the
// least.
#pragma once

#include <vector>

#include "map/placement.hpp"

namespace groma::map {

constexpr std::size_t kMostRanksOfProof = 32;  ///< with traffic; a proof for so many is luck

/// The calmest mapping that a search has found. The busiest link of no mapping carries less than `at_least`.
struct LeastCongestion {
  Mapping mapping;
  double at_least = 0.0;
};

/// Begins with `known`. Ends with what it has after a fixed amount of work: less than a second.
LeastCongestion least_congestion(const Lattice& target, const TrafficGraph& graph,
                                 const std::vector<Place>& allowed, const Mapping& known);
LeastCongestion least_congestion(const Tree& target, const TrafficGraph& graph,
                                 const std::vector<Place>& allowed, const Mapping& known);

}  // namespace groma::map
