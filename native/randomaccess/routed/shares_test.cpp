#include "randomaccess/routed/shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace groma::randomaccess {
namespace {

constexpr Allowance kOfRank{kLookAhead, false};
constexpr Allowance kOfNode{kLookAhead, true};

std::vector<Topology> topologies(int ranks) {
  return {direct_topology(ranks), hypercube_topology(ranks), grid_topology(grid_shape(ranks))};
}

Placement even(int ranks, int per_node, bool node_generates = false) {
  return {even_nodes(ranks, per_node), node_generates};
}

/// Nodes of 1, 2, 3 … ranks, as far as the ranks go.
Placement uneven(int ranks, bool node_generates = false) {
  Placement placement{.node_generates = node_generates};
  for (int first = 0, size = 1; first < ranks; first += size++) {
    for (int rank = first; rank < std::min(ranks, first + size); ++rank) placement.nodes.push_back(first);
  }
  return placement;
}

std::vector<Placement> placements(int ranks) {
  std::vector<Placement> all = {{}};
  for (const bool node_generates : {false, true}) {
    all.push_back(uneven(ranks, node_generates));
    for (int per_node = 1; per_node <= ranks; ++per_node) {
      if (ranks % per_node == 0) all.push_back(even(ranks, per_node, node_generates));
    }
  }
  return all;
}

/// The stages at which a rank may have updates to send on: where any update passes that some rank generates.
std::vector<bool> sends_at(const Topology& topology, int rank, const Placement& placement) {
  std::vector<bool> sends(static_cast<std::size_t>(topology.stages));
  for (int from = 0; from < topology.ranks; ++from) {
    if (!placement.generates(from)) continue;
    for (int owner = 0; owner < topology.ranks; ++owner) {
      int at = from;
      for (int stage = 0; stage < topology.stages; ++stage) {
        const int next = topology.next(at, stage, owner);
        if (at == rank && next != at) sends[static_cast<std::size_t>(stage)] = true;
        at = next;
      }
    }
  }
  return sends;
}

/// The most that a rank can hold: what its places have room for, but for those that no update passes.
std::uint64_t most_of(const Topology& topology, int rank, const Shares& shares, const Placement& placement) {
  const auto sends = sends_at(topology, rank, placement);
  std::uint64_t most = shares.window + shares.here;
  for (int stage = 0; stage < topology.stages; ++stage) {
    const auto at = static_cast<std::size_t>(stage);
    for (const int peer : topology.peers(rank, stage)) {
      const bool comes = sends_at(topology, peer, placement)[at];
      most += (sends[at] ? shares.bucket : 0) + (sends[at] || comes ? shares.bucket : 0);
    }
  }
  return most;
}

TEST(Shares, GiveEachRankNoMoreThanItsLimit) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const Topology& topology : topologies(ranks)) {
      for (const std::uint64_t limit : {4U, 20U, 100U, 1024U}) {
        for (int rank = 0; rank < ranks; ++rank) {
          const Shares shares = shares_of(topology, rank, {limit, false}, {});
          EXPECT_LE(most_of(topology, rank, shares, {}), limit) << ranks;
        }
      }
    }
  }
}

TEST(Shares, GiveTheRanksOfANodeNoMoreThanItsLimitHoweverManyItHas) {
  for (int ranks = 1; ranks <= 10; ++ranks) {
    for (const Topology& topology : topologies(ranks)) {
      for (const Placement& placement : placements(ranks)) {
        for (const std::uint64_t limit : {100U, 1000U, 1024U}) {
          std::vector<std::uint64_t> held(static_cast<std::size_t>(ranks));
          for (int rank = 0; rank < ranks; ++rank) {
            const Shares shares = shares_of(topology, rank, {limit, true}, placement);
            held[static_cast<std::size_t>(placement.node_of(rank))] +=
                most_of(topology, rank, shares, placement);
          }
          EXPECT_LE(*std::ranges::max_element(held), limit) << ranks;
        }
      }
    }
  }
}

TEST(Shares, HaveOneSizeOfBucketsOnAllRanks) {
  for (int ranks = 2; ranks <= 12; ++ranks) {
    for (const Topology& topology : topologies(ranks)) {
      for (const Placement& placement : placements(ranks)) {
        const std::uint64_t bucket = shares_of(topology, 0, kOfNode, placement).bucket;
        EXPECT_GT(bucket, 0U) << ranks;
        for (int rank = 1; rank < ranks; ++rank) {
          EXPECT_EQ(shares_of(topology, rank, kOfNode, placement).bucket, bucket) << ranks;
        }
      }
    }
  }
}

TEST(Shares, LeaveLessThanAnUpdateForEachBucketUnused) {
  // Three ranks have two links each: 12 buckets. An even share of 341 would leave one update of 1,024 as
  // well.
  const Topology direct = direct_topology(3);
  const Shares shares = shares_of(direct, 0, kOfNode, even(3, 3));
  std::uint64_t most = 0;
  for (int rank = 0; rank < 3; ++rank) most += most_of(direct, rank, shares, even(3, 3));
  EXPECT_GT(most + 12, kLookAhead);
}

TEST(Shares, AreThoseOfARankWhereItHasANodeOfItsOwn) {
  for (const Topology& topology : topologies(12)) {
    const Shares of_rank = shares_of(topology, 0, kOfRank, {});
    const Shares of_node = shares_of(topology, 0, kOfNode, {});
    EXPECT_EQ(of_node.bucket, of_rank.bucket);
    EXPECT_EQ(of_node.window, of_rank.window);
    EXPECT_EQ(of_node.here, of_rank.here);
  }
}

TEST(Shares, GiveRanksThatDoNotGenerateOnlyWhatTheyNeed) {
  // Where all ranks of a node of 64 generate and send to all others, they need 8,064 buckets. Where one does,
  // it needs two for each of the others, and those one each to receive.
  EXPECT_EQ(shares_of(direct_topology(64), 0, kOfNode, even(64, 64)).bucket, 0U);
  EXPECT_EQ(shares_of(direct_topology(64), 0, kOfNode, even(64, 64, true)).bucket,
            (1024U - 64 * 3) / (3 * 63));
  // On eight nodes of eight: 7 other generators, and 56 ranks that only receive, of which a node has seven.
  EXPECT_EQ(shares_of(direct_topology(64), 0, kOfNode, even(64, 8)).bucket, 0U);
  EXPECT_EQ(shares_of(direct_topology(64), 0, kOfNode, even(64, 8, true)).bucket,
            (1024U - 8 * 24) / (2 * 63 + 7 * 8));
}

TEST(Shares, KeepBucketsOnNodesOfManyCoresWhereOneRankGenerates) {
  for (const int ranks : {64, 96, 128}) {
    for (const Topology& topology : topologies(ranks)) {
      EXPECT_GT(shares_of(topology, 0, kOfNode, even(ranks, ranks, true)).bucket, 0U) << ranks;
    }
  }
  for (const int per_node : {64, 128, 256}) {
    const Shares shares =
        shares_of(grid_topology({per_node, 2}), 0, kOfNode, even(2 * per_node, per_node, true));
    EXPECT_EQ(shares.bucket > 0, per_node < 256) << per_node;
  }
}

TEST(Shares, KeepFullBucketsOfHypercubesOnAnyNumberOfRanks) {
  for (int ranks = 3; ranks <= 300; ++ranks) {
    const int next_power = 1 << hypercube_topology(ranks).stages;
    const std::uint64_t bucket = shares_of(hypercube_topology(ranks), 0, kOfRank, {}).bucket;
    const std::uint64_t of_power = shares_of(hypercube_topology(next_power), 0, kOfRank, {}).bucket;
    // One link more than the next power of two has, at most.
    EXPECT_GE(bucket * static_cast<unsigned>(hypercube_topology(ranks).stages + 1),
              (of_power - 1) * static_cast<unsigned>(hypercube_topology(ranks).stages))
        << ranks;
  }
}

TEST(Shares, AreNoneWhereALimitHasNoRoomForEveryBucket) {
  EXPECT_EQ(shares_of(direct_topology(64), 0, {100, false}, {}).bucket, 0U);
  EXPECT_EQ(shares_of(direct_topology(4096), 0, kOfNode, even(4096, 64)).bucket, 0U);
}

}  // namespace
}  // namespace groma::randomaccess
