#include "randomaccess/routed/route.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace groma::randomaccess {
namespace {

std::vector<Topology> topologies(int ranks) {
  return {direct_topology(ranks), hypercube_topology(ranks), grid_topology(grid_shape(ranks))};
}

/// Where an update for `owner` ends that was generated on `rank`, by the routes of all ranks.
int destination(const std::vector<Route>& routes, int rank, int owner) {
  std::size_t stage = 0;
  for (;;) {
    const Route& route = routes[static_cast<std::size_t>(rank)];
    const std::uint32_t link = route.link_for[stage][static_cast<std::size_t>(owner)];
    if (link == route.links.size()) return rank;
    stage = static_cast<std::size_t>(route.links[link].stage) + 1;
    rank = route.links[link].peer;
  }
}

TEST(Topology, LeadsEveryUpdateToItsOwner) {
  for (int ranks = 1; ranks <= 33; ++ranks) {
    for (const Topology& topology : topologies(ranks)) {
      std::vector<Route> routes;
      for (int rank = 0; rank < ranks; ++rank) routes.push_back(route_of(topology, rank));
      for (int from = 0; from < ranks; ++from) {
        for (int owner = 0; owner < ranks; ++owner) ASSERT_EQ(destination(routes, from, owner), owner);
      }
    }
  }
}

TEST(Topology, LinksAreMutualAndJoinAPairOnce) {
  for (int ranks = 1; ranks <= 33; ++ranks) {
    for (const Topology& topology : topologies(ranks)) {
      for (int rank = 0; rank < ranks; ++rank) {
        std::vector<int> met;
        for (int stage = 0; stage < topology.stages; ++stage) {
          for (const int peer : topology.peers(rank, stage)) {
            const auto back = topology.peers(peer, stage);
            EXPECT_NE(std::ranges::find(back, rank), back.end()) << ranks;
            EXPECT_EQ(std::ranges::find(met, peer), met.end()) << ranks;
            met.push_back(peer);
          }
        }
        EXPECT_LE(static_cast<int>(met.size()), topology.most_links) << ranks;
      }
    }
  }
}

TEST(Topology, HypercubesHaveOnePeerOfEachDimension) {
  EXPECT_EQ(hypercube_topology(8).most_links, 3);
  EXPECT_EQ(hypercube_topology(1024).most_links, 10);
  EXPECT_EQ(direct_topology(8).most_links, 7);
}

int dimensions_of(int ranks) {
  int dimensions = 0;
  while ((1 << dimensions) < ranks) ++dimensions;
  return dimensions;
}

int most_links_of_any_rank(const Topology& topology) {
  std::size_t most = 0;
  for (int rank = 0; rank < topology.ranks; ++rank) {
    most = std::max(most, route_of(topology, rank).links.size());
  }
  return static_cast<int>(most);
}

TEST(Topology, HypercubesHaveOnePeerMoreAtMostOnAnyNumberOfRanks) {
  for (int ranks = 1; ranks <= 300; ranks += ranks < 70 ? 1 : 23) {
    const Topology topology = hypercube_topology(ranks);
    EXPECT_EQ(topology.stages, dimensions_of(ranks));
    EXPECT_LE(topology.most_links, dimensions_of(ranks) + 1) << ranks;
    EXPECT_EQ(topology.most_links, most_links_of_any_rank(topology)) << ranks;
  }
  for (const int ranks : {3, 5, 6, 12, 24, 40, 96}) {
    EXPECT_EQ(hypercube_topology(ranks).most_links, dimensions_of(ranks)) << ranks;
  }
}

/// Messages that an update takes, by the choices of every rank on its way; -1 if it does not reach its owner.
int hops(const Topology& topology, int rank, int owner) {
  int count = 0;
  for (int stage = 0; stage < topology.stages; ++stage) {
    const int next = topology.next(rank, stage, owner);
    count += static_cast<int>(next != rank);
    rank = next;
  }
  return rank == owner ? count : -1;
}

TEST(Topology, HypercubesReachEveryOwnerWithAHopOfEachDimensionAtMost) {
  for (int ranks = 1; ranks <= 300; ranks += ranks < 70 ? 1 : 23) {
    const Topology topology = hypercube_topology(ranks);
    for (int from = 0; from < ranks; ++from) {
      for (int owner = 0; owner < ranks; ++owner) {
        const int count = hops(topology, from, owner);
        ASSERT_GE(count, 0) << ranks << " ranks, " << from << " to " << owner;
        ASSERT_LE(count, dimensions_of(ranks));
      }
    }
  }
}

TEST(GridShape, MultipliesToTheRanksWithShortLines) {
  for (int ranks = 1; ranks <= 200; ++ranks) {
    const auto shape = grid_shape(ranks);
    EXPECT_EQ(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>()), ranks);
  }
  EXPECT_EQ(grid_shape(16), std::vector<int>{16});
  EXPECT_EQ(grid_shape(64), (std::vector<int>{8, 8}));
  EXPECT_EQ(grid_topology(grid_shape(64)).most_links, 14);
  EXPECT_LE(grid_topology(grid_shape(1000)).most_links, 16);
}

TEST(GridShape, TakesFewestMessagesWhereEachRankHasANode) {
  EXPECT_EQ(grid_shape(8, 1), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(grid_shape(16, 1), (std::vector<int>{2, 2, 2, 2}));
  EXPECT_EQ(grid_shape(7, 1), std::vector<int>{7});
  for (int ranks = 1; ranks <= 200; ++ranks) {
    const auto shape = grid_shape(ranks, 1);
    EXPECT_EQ(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>()), ranks);
    EXPECT_LE(message_cost(shape), message_cost({ranks}));
    EXPECT_LE(message_cost(shape), message_cost(grid_shape(ranks)) + 1e-9);
  }
}

TEST(GridShape, PutsItsFirstDimensionIntoNodes) {
  EXPECT_EQ(grid_shape(16, 4), std::vector<int>{16});  // few enough to speak with each directly
  EXPECT_EQ(grid_shape(32, 4), (std::vector<int>{4, 8}));
  EXPECT_EQ(grid_shape(64, 64), (std::vector<int>{8, 8}));
  EXPECT_EQ(grid_shape(1024, 8).front(), 8);
  for (int nodes = 1; nodes <= 40; ++nodes) {
    const auto shape = grid_shape(6 * nodes, 6);
    EXPECT_EQ(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>()), 6 * nodes);
  }
}

}  // namespace
}  // namespace groma::randomaccess
