// The injection FIFOs of a node with several ranks. A set has one for each direction. Ranks share sets where
// a router has no queues for one of each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/torus/shape.hpp"

namespace groma::sim::torus {

class FifoSets {
 public:
  /// `most`: sets for which a router has queues.
  FifoSets(Node nodes, std::uint32_t cores, Port ports, std::uint32_t most)
      : ports_(ports),
        sets_(even_sets(cores, most)),
        sharers_(cores / sets_),
        fifos_(std::size_t{nodes} * of_node()) {}

  [[nodiscard]] std::uint32_t of_node() const { return sets_ * ports_; }
  [[nodiscard]] std::uint32_t fifo(std::uint32_t core, Port port) const {
    return (core % sets_ * ports_) + port;
  }
  /// Calls `use` for each core that has this FIFO, from the one after `core` on.
  template <class Use>
  void for_each_sharer(std::uint32_t fifo, std::uint32_t core, Use use) const {
    const std::uint32_t set = fifo / ports_;
    for (std::uint32_t i = 1; i <= sharers_; ++i) use(set + (((core / sets_) + i) % sharers_ * sets_));
  }

  /// Places that packets will take on which processors work.
  [[nodiscard]] std::uint32_t promised(Node node, std::uint32_t fifo) const {
    return at(node, fifo).promised;
  }
  /// The core that took a place last.
  [[nodiscard]] std::uint32_t last(Node node, std::uint32_t fifo) const { return at(node, fifo).last; }
  void promise(Node node, std::uint32_t fifo, std::uint32_t core) {
    ++at(node, fifo).promised;
    at(node, fifo).last = core;
  }
  void redeem(Node node, std::uint32_t fifo) { --at(node, fifo).promised; }

 private:
  struct Fifo {
    std::uint32_t promised = 0;
    std::uint32_t last = 0;
  };

  /// Links serve FIFOs in turn: sets with more ranks than others would give each of them less.
  static std::uint32_t even_sets(std::uint32_t cores, std::uint32_t most) {
    std::uint32_t sets = std::clamp(most, 1U, cores);
    while (cores % sets != 0) --sets;
    return sets;
  }
  [[nodiscard]] const Fifo& at(Node node, std::uint32_t fifo) const {
    return fifos_[(std::size_t{node} * of_node()) + fifo];
  }
  Fifo& at(Node node, std::uint32_t fifo) { return fifos_[(std::size_t{node} * of_node()) + fifo]; }

  Port ports_;
  std::uint32_t sets_;
  std::uint32_t sharers_;  ///< of each set
  std::vector<Fifo> fifos_;
};

}  // namespace groma::sim::torus
