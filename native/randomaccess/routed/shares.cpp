#include "randomaccess/routed/shares.hpp"

#include <bit>
#include <functional>
#include <limits>
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

/// What a rank does at a stage: the links that it sends along, and those that updates come along.
struct StageLinks {
  std::uint64_t out = 0;
  std::uint64_t in = 0;

  /// Two for each link, one that fills and one on its way; or only those that come.
  [[nodiscard]] std::uint64_t buckets_in_turns() const { return out == 0 ? in : 2 * out; }
  /// In halves of a bucket. Half as many messages as may be under way have room besides those that fill.
  [[nodiscard]] std::uint64_t halves_to_send() const {
    return out == 0 ? 0 : halves_that_fill(out) + 2 * std::min(kUnderWay / 2, out);
  }
  [[nodiscard]] std::uint64_t halves_in_pools() const { return halves_to_send() + 2 * std::min(kPosted, in); }
};

using LinksAtStages = std::vector<StageLinks>;

LinksAtStages links_of(const Topology& topology, int rank, const std::vector<int>& first) {
  LinksAtStages links;
  for (int stage = 0; stage < topology.stages; ++stage) {
    const auto sends = [&](int one) { return first[static_cast<std::size_t>(one)] <= stage; };
    const std::vector<int> peers = topology.peers(rank, stage);
    links.push_back({.out = sends(rank) ? peers.size() : 0,
                     .in = static_cast<std::uint64_t>(std::ranges::count_if(peers, sends))});
  }
  return links;
}

/// Of the rank that has the most, where all generate.
LinksAtStages most_links_of(const Topology& topology) {
  LinksAtStages links;
  for (const int peers : topology.most_peers) {
    links.push_back({static_cast<std::uint64_t>(peers), static_cast<std::uint64_t>(peers)});
  }
  return links;
}

std::uint64_t sum_of(const LinksAtStages& links, std::uint64_t (StageLinks::*of)() const) {
  std::uint64_t sum = 0;
  for (const StageLinks& one : links) sum += (one.*of)();
  return sum;
}

/// What the ranks that share a limit have of it, and need together.
struct LimitGroup {
  std::uint64_t limit;
  std::uint64_t ranks = 0;
  std::uint64_t buckets_in_turns = 0;
  std::uint64_t halves_in_pools = 0;

  void add(const LinksAtStages& links) {
    ++ranks;
    buckets_in_turns += sum_of(links, &StageLinks::buckets_in_turns);
    halves_in_pools += sum_of(links, &StageLinks::halves_in_pools);
  }

  [[nodiscard]] std::uint64_t window() const {
    return std::bit_floor(std::max<std::uint64_t>(1, limit / 8 / ranks));
  }
  [[nodiscard]] std::uint64_t here() const { return std::max<std::uint64_t>(1, limit / 64 / ranks); }
  /// For links.
  [[nodiscard]] std::uint64_t rest() const { return limit - std::min(limit, ranks * (window() + here())); }
  [[nodiscard]] std::uint64_t bucket_in_turns() const {
    return rest() / std::max<std::uint64_t>(1, buckets_in_turns);
  }
  [[nodiscard]] std::uint64_t room_in_pools(std::uint64_t halves) const {
    return halves_in_pools == 0 ? rest() : rest() * halves / halves_in_pools;
  }
};

/// Groups by their first rank.
using LimitGroups = std::map<int, LimitGroup>;

std::uint64_t smallest(const LimitGroups& groups,
                       const std::function<std::uint64_t(const LimitGroup&)>& size) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [first, group] : groups) least = std::min(least, size(group));
  return least;
}

std::vector<StagePool> pools_of(const LimitGroup& group, const LinksAtStages& links) {
  std::vector<StagePool> pools;
  for (const StageLinks& one : links) {
    pools.push_back({group.room_in_pools(one.halves_to_send()), static_cast<int>(one.in)});
  }
  return pools;
}

LimitGroups nodes_of(const Topology& topology, const std::vector<int>& first, std::uint64_t limit,
                     const Placement& placement) {
  LimitGroups nodes;
  for (int rank = 0; rank < topology.ranks; ++rank) {
    nodes.try_emplace(placement.node_of(rank), limit).first->second.add(links_of(topology, rank, first));
  }
  return nodes;
}

/// What a rank shares with others, or has alone.
struct Division {
  LimitGroups groups;
  int own;  ///< the group that the rank belongs to
  LinksAtStages links;
  [[nodiscard]] const LimitGroup& group() const { return groups.at(own); }
};

Division of_ranks(const Topology& topology, std::uint64_t limit) {
  const LinksAtStages links = most_links_of(topology);
  LimitGroup group{limit};
  group.add(links);
  group.buckets_in_turns = 2 * static_cast<std::uint64_t>(topology.most_links);
  return {{{0, group}}, 0, links};
}

Division of_nodes(const Topology& topology, int rank, std::uint64_t limit, const Placement& placement) {
  const std::vector<int> first = first_stages(topology, placement);
  return {nodes_of(topology, first, limit, placement), placement.node_of(rank),
          links_of(topology, rank, first)};
}

Division division_of(const Topology& topology, int rank, const Allowance& limit, const Placement& placement) {
  return limit.of_node ? of_nodes(topology, rank, limit.updates, placement)
                       : of_ranks(topology, limit.updates);
}

std::uint64_t bucket_in(const Division& division, Way way) {
  return smallest(division.groups, [way](const LimitGroup& one) {
    return way == Way::kTurns ? one.bucket_in_turns() : one.room_in_pools(2);
  });
}

Shares shares_from(const Division& division, Way way) {
  const LimitGroup& own = division.group();
  return {.window = own.window(),
          .here = own.here(),
          .bucket = bucket_in(division, way),
          .pools = way == Way::kTurns ? std::vector<StagePool>{} : pools_of(own, division.links)};
}

/// Without a look at every link of so many ranks.
bool has_too_many_links(const Topology& topology, const Allowance& limit) {
  return static_cast<std::uint64_t>(topology.most_links) >= 2 * limit.updates;
}

}  // namespace

Shares shares_of(const Topology& topology, int rank, const Allowance& limit, const Placement& placement) {
  if (has_too_many_links(topology, limit)) return {};
  const Division division = division_of(topology, rank, limit, placement);
  const bool in_pools = bucket_in(division, Way::kPools) > bucket_in(division, Way::kTurns);
  return shares_from(division, in_pools ? Way::kPools : Way::kTurns);
}

Shares shares_of(const Topology& topology, int rank, const Allowance& limit, const Placement& placement,
                 Way way) {
  return shares_from(division_of(topology, rank, limit, placement), way);
}

}  // namespace groma::randomaccess
