#include "randomaccess/routed/shares.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace groma::randomaccess {
namespace {

/// The first stage at which each rank may have updates to send on; the number of stages if none.
std::vector<int> first_stages(const Topology& topology, const Placement& placement) {
  std::vector<int> first(static_cast<std::size_t>(topology.ranks), topology.stages);
  for (int rank = 0; rank < topology.ranks; ++rank) {
    if (placement.generates(rank)) first[static_cast<std::size_t>(rank)] = 0;
  }
  for (int stage = 0; stage < topology.stages; ++stage) {
    for (int rank = 0; rank < topology.ranks; ++rank) {
      if (first[static_cast<std::size_t>(rank)] > stage) continue;
      for (const int peer : topology.peers(rank, stage)) {
        int& of_peer = first[static_cast<std::size_t>(peer)];
        of_peer = std::min(of_peer, stage + 1);
      }
    }
  }
  return first;
}

std::uint64_t buckets_of(const Topology& topology, int rank, const std::vector<int>& first) {
  std::uint64_t buckets = 0;
  for (int stage = 0; stage < topology.stages; ++stage) {
    const bool sends = first[static_cast<std::size_t>(rank)] <= stage;
    for (const int peer : topology.peers(rank, stage)) {
      const bool receives = first[static_cast<std::size_t>(peer)] <= stage;
      buckets += static_cast<std::uint64_t>(sends) + static_cast<std::uint64_t>(sends || receives);
    }
  }
  return buckets;
}

/// What the ranks of a node need together.
struct NodeNeed {
  std::uint64_t ranks = 0;
  std::uint64_t buckets = 0;
};

/// By the first rank of the node.
std::map<int, NodeNeed> needs_of(const Topology& topology, const Placement& placement) {
  const std::vector<int> first = first_stages(topology, placement);
  std::map<int, NodeNeed> needs;
  for (int rank = 0; rank < topology.ranks; ++rank) {
    NodeNeed& need = needs[placement.node_of(rank)];
    ++need.ranks;
    need.buckets += buckets_of(topology, rank, first);
  }
  return needs;
}

/// Of each of so many ranks that share a limit, without the buckets of links.
Shares shares_to_apply(std::uint64_t limit, std::uint64_t ranks) {
  return {.window = std::bit_floor(std::max<std::uint64_t>(1, limit / 8 / ranks)),
          .here = std::max<std::uint64_t>(1, limit / 16 / ranks)};
}

std::uint64_t bucket_size(std::uint64_t limit, const NodeNeed& need) {
  const Shares each = shares_to_apply(limit, need.ranks);
  const std::uint64_t taken = need.ranks * (each.window + each.here);
  return (limit - std::min(limit, taken)) / std::max<std::uint64_t>(1, need.buckets);
}

std::uint64_t smallest_bucket(std::uint64_t limit, const std::map<int, NodeNeed>& needs) {
  std::uint64_t smallest = limit;
  for (const auto& [node, need] : needs) smallest = std::min(smallest, bucket_size(limit, need));
  return smallest;
}

}  // namespace

Shares shares_of(const Topology& topology, int rank, const Allowance& limit, const Placement& placement) {
  const auto links = static_cast<std::uint64_t>(topology.most_links);
  if (!limit.of_node) {
    Shares shares = shares_to_apply(limit.updates, 1);
    shares.bucket = bucket_size(limit.updates, {1, 2 * links});
    return shares;
  }
  if (links >= limit.updates) return {};  // without a look at every link of so many ranks
  const auto needs = needs_of(topology, placement);
  Shares shares = shares_to_apply(limit.updates, needs.at(placement.node_of(rank)).ranks);
  shares.bucket = smallest_bucket(limit.updates, needs);
  return shares;
}

}  // namespace groma::randomaccess
