// Where an update goes next on its way to the rank that owns its word. A rank exchanges messages with few
// others, so that the few updates that it may hold fill larger messages (Garg and Sabharwal 2006; Plimpton et
// al. 2006). Pure functions of rank and size: no messages here.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace groma::randomaccess {

/// Neighbouring ones; there may be none.
struct Stages {
  int first;
  int end;
  [[nodiscard]] bool has(int stage) const { return stage >= first && stage < end; }
};

/// A network of stages that an update passes in order. In each it goes to one rank or stays.
struct Topology {
  int ranks;
  int stages;
  int most_links;               ///< of any rank, over all stages
  std::vector<int> most_peers;  ///< of any rank in each stage
  /// Ranks that this one sends to or receives from in a stage; of two ranks each has the other or none has.
  std::function<std::vector<int>(int rank, int stage)> peers;
  /// The peer to which an update for `owner` goes, or the rank itself.
  std::function<int(int rank, int stage, int owner)> next;
};

/// One stage, everybody to everybody.
Topology direct_topology(int ranks);

/// Halves of halves, any number of ranks. Where a group is odd, a rank of its smaller half has links to two
/// of the larger one; no rank has more than one link besides the one of each stage.
Topology hypercube_topology(int ranks);

/// One stage for each dimension, in it everybody on the line. The product of `shape` is the number of ranks.
Topology grid_topology(const std::vector<int>& shape);

/// Messages that an update takes along lines of these lengths, up to a factor that is the same for all
/// shapes: it moves in a share of the stages, and the more links share the look-ahead, the fewer a message
/// holds.
double message_cost(const std::vector<int>& shape);

/// With one rank on each node the shape of the least message_cost, since messages are what a network is slow
/// at. Otherwise few dimensions, none of them long: the shape with the fewest stages whose lines have at most
/// 16 other ranks together, or with as short lines as the factors of `ranks` allow. Where `per_node`
/// neighbouring ranks share each node, the first dimension lies within nodes if there is more than one
/// dimension, so that an update crosses the network in the others only; 0 where that is not so.
std::vector<int> grid_shape(int ranks, int per_node = 0);

/// A rank's view of a topology.
struct Link {
  int peer;
  int stage;
};
struct Route {
  std::vector<Link> links;  ///< by stage
  /// For updates that come from a stage (0: generated here, s + 1: received in stage s) and are for an owner:
  /// the link to put them on, or links.size() to apply them here.
  std::vector<std::vector<std::uint32_t>> link_for;
};
Route route_of(const Topology& topology, int rank);

/// The same where an update may have gone astray, because the network or a rank is faulty: what would end
/// here but has another owner goes to links.size() + 1, since it must not touch memory of others. Costs
/// nothing, because every update is looked up anyway.
Route with_strays(Route route, int rank);

}  // namespace groma::randomaccess
