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

/// By rank, then by stage: whether it may have updates to send on there.
using Senders = std::vector<std::vector<bool>>;

/// Where any update passes that some rank generates.
Senders senders_of(const Topology& topology, const Placement& placement) {
  Senders sends(static_cast<std::size_t>(topology.ranks),
                std::vector<bool>(static_cast<std::size_t>(topology.stages)));
  for (int from = 0; from < topology.ranks; ++from) {
    if (!placement.generates(from)) continue;
    for (int owner = 0; owner < topology.ranks; ++owner) {
      int at = from;
      for (int stage = 0; stage < topology.stages; ++stage) {
        const int next = topology.next(at, stage, owner);
        if (next != at) sends[static_cast<std::size_t>(at)][static_cast<std::size_t>(stage)] = true;
        at = next;
      }
    }
  }
  return sends;
}

bool sends_at(const Senders& senders, int rank, int stage) {
  return senders[static_cast<std::size_t>(rank)][static_cast<std::size_t>(stage)];
}

/// In pools: what they have room for, and posted receives.
std::uint64_t most_in_pools(const Shares& shares) {
  std::uint64_t most = 0;
  for (const StagePool& pool : shares.pools) most += pool.room + pool.posted() * shares.bucket;
  return most;
}

/// The most that a rank can hold: what its places have room for, but for those that no update passes.
std::uint64_t most_of(const Topology& topology, int rank, const Shares& shares, const Placement& placement) {
  std::uint64_t most = shares.window + shares.here + most_in_pools(shares);
  if (!shares.pools.empty()) return most;
  const Senders senders = senders_of(topology, placement);
  for (int stage = 0; stage < topology.stages; ++stage) {
    const bool goes = sends_at(senders, rank, stage);
    for (const int peer : topology.peers(rank, stage)) {
      const bool comes = sends_at(senders, peer, stage);
      most += (goes ? shares.bucket : 0) + (goes || comes ? shares.bucket : 0);
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
  // Where all ranks of a node of 64 generate and send to all others, they need 64 times 36 buckets. Where one
  // does, it needs half a bucket for each of the others and 2.5, and those one each to receive.
  EXPECT_EQ(shares_of(direct_topology(64), 0, kOfNode, even(64, 64)).bucket, 0U);
  EXPECT_EQ(shares_of(direct_topology(64), 0, kOfNode, even(64, 64, true)).bucket,
            (1024U - 64 * 3) * 2 / (64 + 4 + 2 * 63));
  // On eight nodes of eight: 7 other generators, and 56 ranks that only receive, of which a node has seven.
  EXPECT_EQ(shares_of(direct_topology(64), 0, kOfNode, even(64, 8)).bucket, (1024U - 8 * 18) / (8 * 36));
  EXPECT_EQ(shares_of(direct_topology(64), 0, kOfNode, even(64, 8, true)).bucket,
            (1024U - 8 * 18) * 2 / (64 + 4 + 2 * 2 * 8));
}

// ---- the rule of the paper (section 4.3.1) ----

/// Every way to write `rest` as a product, the longest length first.
void add_shapes(int rest, std::vector<int> shape, std::vector<std::vector<int>>& all) {
  if (rest == 1) all.push_back(shape);
  for (int length = shape.empty() ? rest : std::min(rest, shape.back()); length > 1; --length) {
    if (rest % length != 0) continue;
    shape.push_back(length);
    add_shapes(rest / length, shape, all);
    shape.pop_back();
  }
}

std::vector<std::vector<int>> shapes(int ranks) {
  std::vector<std::vector<int>> all;
  add_shapes(ranks, {}, all);
  return all;
}

/// Buckets of a rank by the paper: one for each peer, four for what comes in along each dimension.
std::uint64_t buckets_of_the_paper(const Topology& topology, int rank, const Senders& senders) {
  std::uint64_t buckets = 0;
  for (int stage = 0; stage < topology.stages; ++stage) {
    const std::vector<int> peers = topology.peers(rank, stage);
    const bool receives =
        std::ranges::any_of(peers, [&](int peer) { return sends_at(senders, peer, stage); });
    buckets += (sends_at(senders, rank, stage) ? peers.size() : 0) + (receives ? 4U : 0U);
  }
  return buckets;
}

/// The smallest over all nodes.
std::uint64_t bucket_of_the_paper(const Topology& topology, const Placement& placement) {
  const Senders senders = senders_of(topology, placement);
  std::vector<std::uint64_t> buckets(static_cast<std::size_t>(topology.ranks));
  for (int rank = 0; rank < topology.ranks; ++rank) {
    buckets[static_cast<std::size_t>(placement.node_of(rank))] +=
        buckets_of_the_paper(topology, rank, senders);
  }
  return kLookAhead / *std::ranges::max_element(buckets);
}

TEST(Shares, HaveBucketsOfThePapersSizeOnAnyGridWhereALimitIsThatOfARank) {
  for (int ranks = 2; ranks <= 1024; ++ranks) {
    for (const auto& shape : shapes(ranks)) {
      std::uint64_t buckets = 0;
      for (const int length : shape) buckets += static_cast<std::uint64_t>(length - 1 + 4);
      EXPECT_GE(shares_of(grid_topology(shape), 0, kOfRank, {}).bucket, kLookAhead / buckets) << ranks;
    }
  }
}

TEST(Shares, HaveBucketsOfThePapersSizeOnHypercubes) {
  for (int ranks = 2; ranks <= 64; ++ranks) {
    const Topology topology = hypercube_topology(ranks);
    EXPECT_GE(shares_of(topology, 0, kOfRank, {}).bucket, bucket_of_the_paper(topology, {})) << ranks;
  }
}

TEST(Shares, HaveBucketsOfThePapersSizeWhereALimitIsThatOfANode) {
  for (const int ranks : {2, 3, 4, 6, 8, 12, 16, 27, 32, 48, 64}) {
    for (const Topology& topology : topologies(ranks)) {
      for (const Placement& placement : placements(ranks)) {
        EXPECT_GE(shares_of(topology, 0, kOfNode, placement).bucket, bucket_of_the_paper(topology, placement))
            << ranks << " ranks, one generates: " << placement.node_generates
            << ", stages: " << topology.stages
            << ", second node: " << (placement.nodes.empty() ? 1 : placement.nodes.back());
      }
    }
  }
}

TEST(Shares, AreInPoolsWhereARankHasManyPeers) {
  const auto bucket = [](const std::vector<int>& shape, bool in_pools) {
    const Shares shares = shares_of(grid_topology(shape), 0, kOfRank, {});
    EXPECT_EQ(!shares.pools.empty(), in_pools) << shape.front();
    return shares.bucket;
  };
  EXPECT_EQ(bucket({2}, false), 440U);
  EXPECT_EQ(bucket({2, 2, 2}, false), 146U);  // the paper's rule: 68
  EXPECT_EQ(bucket({4, 4}, false), 73U);      // 73
  EXPECT_EQ(bucket({8, 8}, true), 55U);       // 46
  EXPECT_EQ(bucket({64}, true), 24U);         // 15
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
  EXPECT_EQ(shares_of(direct_topology(64), 0, {40, false}, {}).bucket, 0U);
  EXPECT_EQ(shares_of(direct_topology(4096), 0, kOfNode, even(4096, 64)).bucket, 0U);
}

}  // namespace
}  // namespace groma::randomaccess
