// Which node a packet goes to, by pattern of traffic (Dally and Towles 2004, section 3.2).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "base/result.hpp"
#include "sim/torus/network.hpp"
#include "sim/torus/shape.hpp"

namespace groma::sim::torus {

/// The destination of the next packet of a node; the node itself where it sends nothing.
using Pattern = std::function<Node(Node from, RandomStream& random)>;

/// Any other node with the same probability.
Pattern uniform_pattern(const Shape& shape);
/// With probability `share` the hot node, else any other node.
Pattern hot_spot_pattern(const Shape& shape, Node hot, double share);
/// As far in each dimension as `offsets` say, around its end.
Pattern shift_pattern(const Shape& shape, std::vector<std::uint32_t> offsets);
/// One node less than half way around each dimension, so that minimal ways use one direction of its links
/// only.
Pattern tornado_pattern(const Shape& shape);
/// Coordinate d becomes coordinate d + 1: in two dimensions the transpose of a matrix. Needs equal extents.
Result<Pattern> transpose_pattern(const Shape& shape);
/// The number of the node with its bits reversed. Needs a power of two of nodes.
Result<Pattern> bit_reverse_pattern(const Shape& shape);

/// Packets over a link of a dimension for one of each node to a random other node: the share of them that
/// crosses the busiest one-way cut, over the links that the cut has for each node.
double uniform_load(const Shape& shape, std::size_t dimension);

/// Bytes of packets that each node can send in a cycle, so that no link has to carry more than its rate under
/// uniform traffic: in a closed dimension of L nodes, 8 links / L.
double uniform_bound(const Shape& shape, const Network& network, std::uint32_t steps);

}  // namespace groma::sim::torus
