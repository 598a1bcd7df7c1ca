// A mapping in which all traffic is between neighbours, where a search finds one.
#pragma once

#include <optional>

#include "map/placement.hpp"

namespace groma::map {

/// Places ranks one by one, always the one with the most placed partners, on a free place beside all of them,
/// and takes steps back. Finds regular patterns on the lattice that they fit. Nothing after about `steps`
/// attempts.
std::optional<Mapping> neighbouring_mapping(const Lattice& lattice, const std::vector<Place>& allowed,
                                            const TrafficGraph& graph, std::size_t steps);

}  // namespace groma::map
