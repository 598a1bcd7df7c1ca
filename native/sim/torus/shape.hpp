// The nodes of a torus or mesh of one to six dimensions of any sizes, and the minimal ways between them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.hpp"

namespace groma::sim::torus {

using Node = std::uint32_t;

inline constexpr std::size_t kMaxDimensions = 6;
inline constexpr Node kNoNode = 0xFFFFFFFF;

/// A way out of a node: 2 d goes up in dimension d, 2 d + 1 goes down.
using Port = std::uint32_t;

inline constexpr Port kNoPort = 0xFFFFFFFF;

constexpr Port opposite(Port port) {
  return port ^ 1U;
}

/// Links left to the destination in each dimension; negative ones go down.
using Hops = std::array<std::int16_t, kMaxDimensions>;

class Shape {
 public:
  /// `closed` says for each dimension whether its ends are joined. Refuses what has no nodes, too many of
  /// them, or too many dimensions.
  static Result<Shape> make(std::vector<std::uint32_t> extents, std::vector<bool> closed);

  [[nodiscard]] Node nodes() const { return nodes_; }
  [[nodiscard]] std::size_t dimensions() const { return extents_.size(); }
  [[nodiscard]] Port ports() const { return static_cast<Port>(2 * extents_.size()); }
  [[nodiscard]] std::uint32_t extent(std::size_t dimension) const { return extents_[dimension]; }
  [[nodiscard]] bool is_closed(std::size_t dimension) const { return closed_[dimension]; }
  /// The first coordinate runs fastest.
  [[nodiscard]] std::uint32_t coordinate(Node node, std::size_t dimension) const {
    return node / strides_[dimension] % extents_[dimension];
  }
  [[nodiscard]] Node node_at(const std::vector<std::uint32_t>& coordinates) const;
  /// kNoNode beyond the edge of a mesh, and in a dimension of one node.
  [[nodiscard]] Node neighbour(Node node, Port port) const;

  /// A shortest way. Where both directions of a closed dimension are equally long, bit d of `coins` decides.
  [[nodiscard]] Hops hops(Node from, Node to, std::uint32_t coins) const;

 private:
  Shape(std::vector<std::uint32_t> extents, std::vector<bool> closed);

  std::vector<std::uint32_t> extents_;
  std::vector<bool> closed_;
  std::vector<std::uint32_t> strides_;
  Node nodes_ = 1;
};

}  // namespace groma::sim::torus
