// Which grid of ranks updates are routed along. Pure functions of numbers.
#pragma once

#include <vector>

#include "randomaccess/look_ahead.hpp"

namespace groma::randomaccess {

/// Messages for an update along lines of these lengths, where the limit is that of a rank: the lines that it
/// moves along, over the updates that a message has room for (shares.hpp). Infinite where there is no room.
double message_cost(const std::vector<int>& shape, std::uint64_t look_ahead);

/// Where `per_node` neighbouring ranks share each node, the shape with the fewest messages between nodes,
/// since those are what a network is slow at. Where a node has several ranks, the first dimension lies within
/// nodes, unless there is one dimension only. Elsewhere (0: nodes are not even; or all ranks share one), few
/// dimensions, none of them long: the fewest whose lines have at most 16 other ranks together, or as short
/// lines as the factors of `ranks` allow.
std::vector<int> grid_shape(int ranks, int per_node = 0, std::uint64_t look_ahead = kLookAhead);

}  // namespace groma::randomaccess
