#include "hpcc/routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace groma::hpcc {
namespace {

TEST(RingOrder, VisitsEveryRankOnce) {
  for (const int ranks : {2, 3, 7, 64, 1001}) {
    for (const std::uint32_t ring : {0U, 1U, 30U}) {
      const auto order = ring_order(ranks, ring, 5);
      const std::set<int> visited(order.begin(), order.end());
      EXPECT_EQ(visited.size(), static_cast<std::size_t>(ranks));
      EXPECT_EQ(*visited.begin(), 0);
      EXPECT_EQ(*visited.rbegin(), ranks - 1);
    }
  }
}

TEST(RingOrder, FollowsFromSeedAndNumberAlone) {
  EXPECT_EQ(ring_order(100, 3, 7), ring_order(100, 3, 7));
  EXPECT_NE(ring_order(100, 3, 7), ring_order(100, 4, 7));
  EXPECT_NE(ring_order(100, 3, 7), ring_order(100, 3, 8));
  const auto natural = ring_order(100, 0, 7);
  EXPECT_TRUE(std::is_sorted(natural.begin(), natural.end()));
}

TEST(RingOrder, MakesEveryOrderEquallyLikely) {
  // Filling the next free place instead, as some do, favours some of the six orders of three by a factor of
  // two.
  std::map<std::vector<int>, int> counts;
  constexpr int kRings = 6000;
  for (std::uint32_t ring = 1; ring <= kRings; ++ring) ++counts[ring_order(3, ring, 1)];
  ASSERT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, kRings / 6, 150);  // five deviations
}

TEST(Neighbours, GoRoundInOneRing) {
  const auto order = ring_order(17, 2, 3);
  int at = 0;
  std::set<int> visited;
  do {
    visited.insert(at);
    const int right = neighbours_in(order, at).right;
    EXPECT_EQ(neighbours_in(order, right).left, at);
    at = right;
  } while (at != 0);
  EXPECT_EQ(visited.size(), 17U);
}

TEST(Neighbours, OfTwoRanksAreTheOtherOne) {
  EXPECT_EQ(neighbours_in(ring_order(2, 0, 1), 0), (Neighbours{1, 1}));
}

TEST(Pairs, AreAllOrderedOnesOfFewRanks) {
  for (const int ranks : {2, 3, 6, 20}) {
    const auto pairs = choose_pairs(ranks, 1024, RandomStream(1));
    const std::set<RankPair> distinct(pairs.begin(), pairs.end());
    EXPECT_EQ(pairs.size(), static_cast<std::size_t>(ranks * (ranks - 1)));
    EXPECT_EQ(distinct.size(), pairs.size());
  }
}

TEST(Pairs, AreDistinctAndBoundedForManyRanks) {
  for (const int ranks : {33, 1000, 100'000}) {
    const auto pairs = choose_pairs(ranks, 1024, RandomStream(9));
    const std::set<RankPair> distinct(pairs.begin(), pairs.end());
    EXPECT_EQ(distinct.size(), 1024U);
    for (const RankPair& pair : pairs) {
      EXPECT_NE(pair.client, pair.server);
      EXPECT_TRUE(0 <= pair.client && pair.client < ranks && 0 <= pair.server && pair.server < ranks);
    }
  }
}

std::size_t covered_by(const std::vector<RankPair>& pairs) {
  std::set<int> ranks;
  for (const RankPair& pair : pairs) ranks.insert({pair.client, pair.server});
  return ranks.size();
}

TEST(Pairs, CoverEveryRankWhereTheyAreEnough) {
  EXPECT_EQ(covered_by(choose_pairs(1001, 501, RandomStream(1))), 1001U);
  EXPECT_EQ(covered_by(choose_pairs(1001, 800, RandomStream(2))), 1001U);
}

TEST(Pairs, CoverTwiceTheirNumberWhereTheyAreFew) {
  EXPECT_EQ(covered_by(choose_pairs(100'000, 5, RandomStream(1))), 10U);
}

TEST(Pairs, FollowFromTheSeed) {
  EXPECT_EQ(choose_pairs(500, 50, RandomStream(4)), choose_pairs(500, 50, RandomStream(4)));
  EXPECT_NE(choose_pairs(500, 50, RandomStream(4)), choose_pairs(500, 50, RandomStream(5)));
}

}  // namespace
}  // namespace groma::hpcc
