#include "randomaccess/routed/grid_shape.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "randomaccess/algorithm.hpp"
#include "randomaccess/routed/shares.hpp"

namespace groma::randomaccess {
namespace {

using Shape = std::vector<int>;

TEST(GridShape, MultipliesToTheRanksWithShortLines) {
  for (int ranks = 1; ranks <= 200; ++ranks) {
    const auto shape = grid_shape(ranks);
    EXPECT_EQ(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>()), ranks);
  }
  EXPECT_EQ(grid_shape(16), Shape{16});
  EXPECT_EQ(grid_shape(64), (Shape{8, 8}));
  EXPECT_EQ(grid_topology(grid_shape(64)).most_links, 14);
  EXPECT_LE(grid_topology(grid_shape(1000)).most_links, 16);
}

std::vector<Shape> shapes(int ranks, int longest) {
  if (ranks == 1) return {Shape{}};
  std::vector<Shape> all;
  for (int length = std::min(ranks, longest); length > 1; --length) {
    if (ranks % length != 0) continue;
    for (Shape rest : shapes(ranks / length, length)) {
      rest.insert(rest.begin(), length);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

/// Full messages for an update, by the way of every update of rank 0.
double messages(const Shape& shape) {
  const Topology topology = grid_topology(shape);
  int sent = 0;
  for (int owner = 0; owner < topology.ranks; ++owner) {
    int at = 0;
    for (int stage = 0; stage < topology.stages; ++stage) {
      const int next = topology.next(at, stage, owner);
      sent += static_cast<int>(next != at);
      at = next;
    }
  }
  return static_cast<double>(sent) / topology.ranks /
         static_cast<double>(shares_of(topology, 0, {}, {}).bucket);
}

TEST(GridShape, TakesFewestMessagesWhereEachRankHasANode) {
  for (int ranks = 2; ranks <= 200; ++ranks) {
    const double taken = messages(grid_shape(ranks, 1));
    for (const Shape& shape : shapes(ranks, ranks)) {
      EXPECT_LE(taken, messages(shape) * (1 + 1e-12)) << grid_text(shape);
    }
  }
}

/// Pools keep the buckets of many peers large, so that more than one dimension takes fewer messages only
/// where there are many ranks.
TEST(GridShape, HasOneDimensionWherePeersShareTheirRoomInPools) {
  EXPECT_EQ(grid_shape(4, 1), (Shape{2, 2}));
  for (const int ranks : {8, 16, 36}) EXPECT_EQ(grid_shape(ranks, 1), Shape{ranks});
  EXPECT_EQ(grid_shape(48, 1), (Shape{8, 6}));
  EXPECT_EQ(grid_shape(64, 1), (Shape{8, 8}));
  EXPECT_EQ(grid_shape(1024, 1), (Shape{16, 8, 8}));
}

TEST(GridShape, HasRoomForEachBucketInASmallLookAhead) {
  for (const std::uint64_t limit : {24U, 64U, 256U}) {
    const Topology topology = grid_topology(grid_shape(64, 1, limit));
    EXPECT_GT(shares_of(topology, 0, {limit, false}, {}).bucket, 0U) << limit;
  }
}

TEST(GridShape, PutsItsFirstDimensionIntoNodes) {
  EXPECT_EQ(grid_shape(16, 4), Shape{16});  // few enough to speak with each directly
  EXPECT_EQ(grid_shape(32, 4), (Shape{4, 8}));
  EXPECT_EQ(grid_shape(64, 64), (Shape{8, 8}));
  EXPECT_EQ(grid_shape(64, 4), (Shape{4, 16}));  // {4, 4, 4} has as large messages, and half as many more
  EXPECT_EQ(grid_shape(1024, 8).front(), 8);
  for (int nodes = 1; nodes <= 40; ++nodes) {
    const auto shape = grid_shape(6 * nodes, 6);
    EXPECT_EQ(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>()), 6 * nodes);
  }
}

}  // namespace
}  // namespace groma::randomaccess
