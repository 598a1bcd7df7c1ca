// Calls for windows that are too far away for those of the fabric.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/torus/fabric.hpp"

namespace groma::sim::torus {

/// Keeps the earliest call of each node. For one thread.
class FarCalls {
 public:
  /// For the nodes from `first` to `last`, exclusive.
  FarCalls(Node first, Node last) : first_(first), windows_(last - first, kNoWindow) {}

  void add(Node node, std::uint64_t window) {
    std::uint64_t& earliest = windows_[node - first_];
    if (window >= earliest) return;
    if (earliest != kNoWindow) calls_.erase({earliest, node});
    earliest = window;
    calls_.emplace(window, node);
  }

  /// The window of the first call; kNoWindow without any.
  [[nodiscard]] std::uint64_t next() const { return calls_.empty() ? kNoWindow : calls_.begin()->first; }

  /// Forgets the calls for windows up to this one, and hands their nodes to `use`.
  template <class Use>
  void take(std::uint64_t window, Use use) {
    while (!calls_.empty() && next() <= window) {
      const Node node = calls_.begin()->second;
      calls_.erase(calls_.begin());
      windows_[node - first_] = kNoWindow;
      use(node);
    }
  }

 private:
  Node first_;
  std::vector<std::uint64_t> windows_;  ///< of each node
  std::set<std::pair<std::uint64_t, Node>> calls_;
};

}  // namespace groma::sim::torus
