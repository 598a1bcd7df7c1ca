// The nodes to which each node sends in an all-to-all: all others, or a sample of them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/torus/shape.hpp"

namespace groma::sim::torus {

/// A permutation of 0 … size - 1 in no memory: four rounds of a Feistel network over the least even number of
/// bits that hold it, applied again while the result is outside.
class CheapPermutation {
 public:
  CheapPermutation(std::uint32_t size, std::uint64_t key);
  [[nodiscard]] std::uint32_t operator()(std::uint32_t index) const;

 private:
  [[nodiscard]] std::uint32_t once(std::uint32_t index) const;

  std::uint32_t size_;
  std::uint32_t half_bits_;
  std::uint64_t key_;
};

/// A sample has the same displacements for all nodes, each with its opposite: on a torus every link of a
/// dimension then carries the same, as when all nodes are sent to. Destinations that each node draws by
/// itself would load some links more than others, and those would end late.
class Destinations {
 public:
  /// `count`: of each node, 1 to all others. The last displacement of an odd number has no opposite.
  Destinations(Shape shape, std::uint32_t count, std::uint64_t seed);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] bool are_all() const { return displacements_.empty(); }
  /// That of a number below count().
  [[nodiscard]] Node of(Node node, std::uint32_t number) const;
  /// Packets over the busiest link for one of each node to each of its destinations; along an open dimension
  /// as under uniform traffic.
  [[nodiscard]] double busiest_load() const;

 private:
  void sample(std::uint64_t seed);
  [[nodiscard]] Node displaced(Node node, Node by) const;
  [[nodiscard]] Node opposite_of(Node displacement) const;
  [[nodiscard]] double load_of(std::size_t dimension) const;

  Shape shape_;
  std::uint32_t count_;
  std::vector<Node> displacements_;  ///< the nodes to which they lead from node 0
};

}  // namespace groma::sim::torus
