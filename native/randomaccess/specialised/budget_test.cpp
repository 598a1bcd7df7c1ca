#include "randomaccess/specialised/budget.hpp"

#include <gtest/gtest.h>

#include "randomaccess/look_ahead.hpp"

namespace groma::randomaccess {
namespace {

const std::vector<std::vector<int>> kGrids = {{}, {2}, {5}, {2, 3}, {4, 4, 4}, {8, 8, 4, 2}};

TEST(Budget, HasRoomForAllThatCanBeFullAtOnce) {
  for (const auto& grid : kGrids) {
    for (int ranks = 2; ranks <= 8; ++ranks) {
      for (int routers = 1; routers < ranks; ++routers) {
        const Roles roles(ranks, routers, static_cast<int>(grid.size()));
        for (const std::uint64_t limit : {1U, 16U, 100U, 1024U}) {
          const Budget budget = budget_of(roles, grid, limit);
          if (budget.bucket == 0) continue;
          EXPECT_GE(budget.queue, budget.bucket);
          for (int rank = 0; rank < ranks; ++rank) {
            const std::uint64_t window = roles.updates(rank) ? budget.window : 0;
            EXPECT_LE(buckets_of(roles, rank, grid) * budget.bucket + window, limit);
          }
        }
      }
    }
  }
}

TEST(Budget, CountsTheBucketsOfThePaper) {
  const Roles roles(4, 3, 3);
  const std::vector<int> grid = {4, 4, 4};
  // 3 peers, 4 on their way, 3 ranks of the node to pass to; then 4 to receive into as well.
  EXPECT_EQ(buckets_of(roles, 0, grid), 3U + 4U + 3U * 5U);
  EXPECT_EQ(buckets_of(roles, 1, grid), 4U + 3U + 4U + 2U * 5U);
  EXPECT_EQ(buckets_of(roles, 3, grid), 4U);
  EXPECT_EQ(budget_of(roles, grid, kLookAhead).bucket, 1024U / 22U);
}

TEST(Budget, HasNoBucketWhereTheLimitIsTooLow) {
  EXPECT_EQ(budget_of(Roles(2, 1, 0), {}, 4).bucket, 0U);
  EXPECT_EQ(budget_of(Roles(2, 1, 0), {}, 5).bucket, 1U);
}

}  // namespace
}  // namespace groma::randomaccess
