#include "sim/torus/shape.hpp"

#include <utility>

namespace groma::sim::torus {
namespace {

constexpr std::uint64_t kMaxNodes = std::uint64_t{1} << 22U;
constexpr std::uint32_t kLongestDimension = 32768;  // a way fits into the 16 bits of Hops

}  // namespace

Result<Shape> Shape::make(std::vector<std::uint32_t> extents, std::vector<bool> closed) {
  if (extents.empty() || extents.size() > kMaxDimensions || closed.size() != extents.size()) {
    return Error{"usage", "a shape has 1 to 6 dimensions", "write the shape as 8x8x8"};
  }
  std::uint64_t nodes = 1;
  for (const std::uint32_t extent : extents) {
    if (extent == 0 || extent > kLongestDimension) {
      return Error{"usage", "a dimension has 1 to 32768 nodes, not " + std::to_string(extent),
                   "write the shape as 8x8x8"};
    }
    nodes *= extent;
    if (nodes > kMaxNodes) return Error{"usage", "more than 4194304 nodes", "simulate a smaller shape"};
  }
  return Shape(std::move(extents), std::move(closed));
}

Shape::Shape(std::vector<std::uint32_t> extents, std::vector<bool> closed)
    : extents_(std::move(extents)), closed_(std::move(closed)) {
  for (const std::uint32_t extent : extents_) {
    strides_.push_back(nodes_);
    nodes_ *= extent;
  }
}

Node Shape::node_at(const std::vector<std::uint32_t>& coordinates) const {
  Node node = 0;
  for (std::size_t d = 0; d < extents_.size(); ++d) node += coordinates[d] * strides_[d];
  return node;
}

Node Shape::neighbour(Node node, Port port) const {
  const std::size_t d = port / 2;
  const std::uint32_t extent = extents_[d];
  const std::uint32_t here = coordinate(node, d);
  const bool up = port % 2 == 0;
  const bool leaves = up ? here + 1 == extent : here == 0;
  if (extent == 1 || (leaves && !closed_[d])) return kNoNode;
  const std::uint32_t there = leaves ? (up ? 0 : extent - 1) : (up ? here + 1 : here - 1);
  return node + (there * strides_[d]) - (here * strides_[d]);
}

Hops Shape::hops(Node from, Node to, std::uint32_t coins) const {
  Hops hops{};
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    const auto extent = static_cast<std::int32_t>(extents_[d]);
    std::int32_t way =
        static_cast<std::int32_t>(coordinate(to, d)) - static_cast<std::int32_t>(coordinate(from, d));
    if (closed_[d]) {
      if (way < 0) way += extent;
      const bool down = 2 * way > extent || (2 * way == extent && (coins >> d & 1U) != 0);
      if (down) way -= extent;
    }
    hops[d] = static_cast<std::int16_t>(way);
  }
  return hops;
}

}  // namespace groma::sim::torus
