// The mapping with the fewest hop-bytes, proven to be so, for few ranks.
#pragma once

#include <vector>

#include "map/placement.hpp"
#include "map/symmetry.hpp"

namespace groma::map {

constexpr std::size_t kMostExactPlaces = 1024;
constexpr std::size_t kMostExactRanks = 64;  ///< with traffic; a proof for so many is luck

/// What a search that wants the best mapping has found. If it `is_optimal`, no mapping has fewer hop-bytes.
struct BoundedSearch {
  Mapping mapping;
  bool is_optimal = false;
};

/// Begins with `known`. Ends with what it has after a fixed amount of work: less than a second.
/// `distances` are those of the allowed places, in their order.
BoundedSearch branch_and_bound(const SymmetricTable& distances, const TrafficGraph& graph,
                               const std::vector<Place>& allowed, const Mapping& known);

template <class Distance>
BoundedSearch branch_and_bound(const Distance& target, const TrafficGraph& graph,
                               const std::vector<Place>& allowed, const Mapping& known) {
  if (allowed.size() > kMostExactPlaces) return {known, false};
  SymmetricTable distances(allowed.size());
  for (std::size_t one = 0; one < allowed.size(); ++one) {
    for (std::size_t other = 0; other < one; ++other) {
      distances.set(one, other, target.distance(allowed[one], allowed[other]));
    }
  }
  return branch_and_bound(distances, graph, allowed, known);
}

}  // namespace groma::map
