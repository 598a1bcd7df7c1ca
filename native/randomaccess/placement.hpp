// Which ranks share a node, and which of them generate updates.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/communicator.hpp"

namespace groma::randomaccess {

struct Placement {
  std::vector<int> nodes = {};  ///< of each rank, the first rank of its node; empty: each has one of its own
  bool node_generates = false;  ///< the first rank of a node brings the updates of all

  [[nodiscard]] int node_of(int rank) const {
    return nodes.empty() ? rank : nodes[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool generates(int rank) const { return !node_generates || node_of(rank) == rank; }
};

/// Placement::nodes of neighbouring ranks.
std::vector<int> even_nodes(int ranks, int per_node);

/// Placement::nodes of neighbouring ranks on so many nodes, the first of which have one rank more where they
/// cannot have as many.
std::vector<int> spread_nodes(int ranks, int nodes);

/// Collective: Placement::nodes of these ranks.
std::vector<int> nodes_of(const mpi::Communicator& world, const mpi::Communicator& node);

}  // namespace groma::randomaccess
