#include "sim/torus/messages/blocked.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace groma::sim::torus {
namespace {

using Ranks = std::vector<Rank>;

TEST(FindCycle, NamesTheRanksThatWaitForEachOther) {
  EXPECT_EQ(find_cycle({{5, 0, {7}}, {7, 0, {9}}, {9, 0, {7}}}), (Ranks{7, 9}));
  EXPECT_EQ(find_cycle({{3, 0, {3}}}), Ranks{3});
}

TEST(FindCycle, FollowsEveryWayOfARank) {
  EXPECT_EQ(find_cycle({{0, 0, {8, 1}}, {1, 0, {2}}, {2, 0, {0}}, {8, 0, {}}}), (Ranks{0, 1, 2}));
}

TEST(FindCycle, IsEmptyWhereRanksWaitForThoseThatEnded) {
  EXPECT_EQ(find_cycle({{0, 0, {1}}, {1, 0, {4}}, {2, 0, {1}}}), Ranks{});
  EXPECT_EQ(find_cycle({}), Ranks{});
}

TEST(FindCycle, ManagesLongChains) {
  constexpr Rank kRanks = 200'000;
  std::vector<Blocked> chain;
  for (Rank rank = 0; rank < kRanks; ++rank) chain.push_back({rank, 0, {(rank + 1) % kRanks}});
  EXPECT_EQ(find_cycle(chain).size(), kRanks);
}

}  // namespace
}  // namespace groma::sim::torus
