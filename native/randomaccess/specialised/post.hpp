// Where a rank of a specialised node stands: its role, the words and nodes around it, its queues and
// messages.
#pragma once

#include <span>
#include <vector>

#include "randomaccess/algorithm.hpp"
#include "randomaccess/routed/route.hpp"
#include "randomaccess/specialised/budget.hpp"
#include "randomaccess/specialised/queue.hpp"
#include "randomaccess/specialised/roles.hpp"
#include "randomaccess/specialised/split.hpp"

namespace groma::randomaccess {

struct Post {
  const mpi::Communicator& messages;  ///< of its own: all ranks, node after node
  Generator generator;
  OwnerRule owner;
  Roles roles;
  int rank;               ///< on the node
  std::vector<int> grid;  ///< of nodes; no length is 1
  Partition nodes;        ///< its parts are nodes
  int node;
  Route route;                     ///< of the node
  std::span<std::uint64_t> table;  ///< the words of the node
  Split split;                     ///< among the ranks that update them
  Budget budget;
  std::vector<UpdateQueue> to;    ///< Roles::targets
  std::vector<UpdateQueue> from;  ///< Roles::sources

  [[nodiscard]] std::uint64_t first_word() const { return nodes.first(static_cast<std::uint64_t>(node)); }
  /// Who does a stage on a lane of another node, among all ranks.
  [[nodiscard]] int rank_on(int other_node, int lane, int stage) const {
    return other_node * roles.ranks() + roles.rank_at(lane, stage);
  }
  /// Ranks that send to a stage of this rank, which is not 0.
  [[nodiscard]] int senders_to(int stage) const {
    const int peers = grid[static_cast<std::size_t>(stage - 1)] - 1;
    return roles.updates(rank) ? roles.lanes() * peers : peers;
  }
};

/// Collective over all ranks that do not update: generates the sections, and routes what comes until all
/// ranks have no more. `use` counts the calls from 1. Returns what this rank did.
Activity route_updates(const Post& post, const std::vector<Section>& sections, std::uint64_t use);

/// The same for ranks that update.
Activity apply_updates(const Post& post, std::uint64_t use);

}  // namespace groma::randomaccess
