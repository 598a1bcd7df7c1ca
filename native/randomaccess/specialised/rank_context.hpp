// What a rank of a specialised node works with: its role, its words, the other nodes, its queues and
// messages.
#pragma once

#include <span>
#include <vector>

#include "base/spsc_queue.hpp"
#include "randomaccess/algorithm.hpp"
#include "randomaccess/routed/perturbation.hpp"
#include "randomaccess/routed/route.hpp"
#include "randomaccess/specialised/budget.hpp"
#include "randomaccess/specialised/roles.hpp"
#include "randomaccess/specialised/split.hpp"

namespace groma::randomaccess {

struct RankContext {
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
  Budget budget;                   ///< of this rank
  Perturbation perturbation;
  std::vector<SpscQueue> to;    ///< Roles::targets
  std::vector<SpscQueue> from;  ///< Roles::sources

  [[nodiscard]] std::uint64_t first_word() const { return nodes.first(static_cast<std::uint64_t>(node)); }
  /// Where those that a rank updates begin among the words of the node, and they themselves.
  [[nodiscard]] std::uint64_t first_of_own() const { return split.first(own_part()); }
  [[nodiscard]] std::span<std::uint64_t> own_words() const {
    return table.subspan(first_of_own(), split.size(own_part()));
  }
  [[nodiscard]] std::uint64_t own_part() const { return static_cast<std::uint64_t>(rank - roles.routers()); }
  /// The rank, among all ranks, that does a stage on a lane of another node.
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
Activity route_updates(const RankContext& context, const std::vector<Section>& sections, std::uint64_t use);

/// The same for ranks that update.
Activity apply_updates(const RankContext& context, std::uint64_t use);

}  // namespace groma::randomaccess
