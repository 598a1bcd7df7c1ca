#include "randomaccess/specialised/budget.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace groma::randomaccess {
namespace {

const std::vector<std::vector<int>> kGrids = {{}, {2}, {5}, {2, 3}, {4, 4, 4}, {8, 8, 4, 2}};

std::uint64_t total(const Budget& budget) {
  return std::accumulate(budget.dimensions.begin(), budget.dimensions.end(),
                         budget.receives + budget.queues + budget.window);
}

std::uint64_t total(const std::vector<Budget>& budgets) {
  return std::accumulate(budgets.begin(), budgets.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Budget& one) { return sum + total(one); });
}

/// Updates in a message of a node of the usual roles.
std::uint64_t bucket_of(int ranks, const std::vector<int>& grid, const Allowance& allowance) {
  const int dimensions = static_cast<int>(grid.size());
  const auto budgets =
      budgets_of(Roles(ranks, usual_routers(ranks, dimensions), dimensions), grid, allowance);
  return budgets.empty() ? 0 : budgets.front().bucket;
}

void for_all_roles(const std::function<void(const Roles& roles, const std::vector<int>& grid)>& check) {
  for (const auto& grid : kGrids) {
    for (int ranks = 2; ranks <= 8; ++ranks) {
      for (int routers = 1; routers < ranks; ++routers) {
        check(Roles(ranks, routers, static_cast<int>(grid.size())), grid);
      }
    }
  }
}

TEST(Budget, NeverGivesARankMoreThanItsLimit) {
  for_all_roles([](const Roles& roles, const std::vector<int>& grid) {
    for (const std::uint64_t limit : {1U, 16U, 100U, 1024U}) {
      for (const Budget& budget : budgets_of(roles, grid, {limit, false})) EXPECT_LE(total(budget), limit);
    }
  });
}

TEST(Budget, NeverGivesANodeMoreThanItsLimit) {
  for_all_roles([](const Roles& roles, const std::vector<int>& grid) {
    for (const std::uint64_t limit : {1U, 16U, 100U, 1024U}) {
      EXPECT_LE(total(budgets_of(roles, grid, {limit, true})), limit);
    }
  });
}

TEST(Budget, HasRoomForAnUpdateInEveryPlaceThatIsUsed) {
  for_all_roles([](const Roles& roles, const std::vector<int>& grid) {
    for (const bool of_node : {false, true}) {
      const auto budgets = budgets_of(roles, grid, {kLookAhead, of_node});
      ASSERT_EQ(budgets.size(), static_cast<std::size_t>(roles.ranks()));
      for (int rank = 0; rank < roles.ranks(); ++rank) {
        const Budget& budget = budgets[static_cast<std::size_t>(rank)];
        EXPECT_EQ(budget.queues > 0, !roles.targets(rank).empty());
        EXPECT_EQ(budget.window > 0, roles.updates(rank));
        for (const std::uint64_t pool : budget.dimensions) EXPECT_GE(pool, budget.bucket);
        EXPECT_GT(budget.bucket, 0U);
      }
    }
  });
}

TEST(Budget, GivesMessagesAtLeastTheRoomOfThePapersRule) {
  const auto paper = [](int x, int y, int z) { return kLookAhead / static_cast<unsigned>(x + y + z + 21); };
  EXPECT_EQ(paper(4, 4, 4), 31U);
  EXPECT_GE(bucket_of(4, {4, 4, 4}, {kLookAhead, true}), paper(4, 4, 4));
  EXPECT_GE(bucket_of(4, {8, 8, 8}, {kLookAhead, true}), paper(8, 8, 8));
  EXPECT_GE(bucket_of(4, {16, 16, 16}, {kLookAhead, true}), paper(16, 16, 16));
  EXPECT_GE(bucket_of(4, {32, 32, 32}, {kLookAhead, true}), paper(32, 32, 32));
}

TEST(Budget, GivesMessagesTheRoomOfThePapersRuleOnAnyGridOfFourCoresWhoseverTheLimitIs) {
  for (const int x : {2, 3, 5, 8, 12, 16, 32}) {
    for (const int y : {2, 3, 5, 8, 12, 16, 32}) {
      for (const int z : {2, 3, 5, 8, 12, 16, 32}) {
        const std::uint64_t paper = kLookAhead / static_cast<unsigned>(x + y + z + 21);
        for (const bool of_node : {false, true}) {
          EXPECT_GE(bucket_of(4, {x, y, z}, {kLookAhead, of_node}), paper) << x << "x" << y << "x" << z;
        }
      }
    }
  }
}

TEST(Budget, PoolsMakeBucketsLargerThanAnEqualShareDoes) {
  // Eight nodes of four ranks: 7 peers. An equal share for each of 7 buckets that fill, 4 under way, and 5 of
  // each queue was 48 updates with a limit of each rank, and 12 with that of the node.
  EXPECT_GT(bucket_of(4, {8}, {kLookAhead, false}), 100U);
  EXPECT_GT(bucket_of(4, {8}, {kLookAhead, true}), 60U);
}

TEST(Budget, SharesTheLimitOfNodesOfManyCores) {
  for (const int ranks : {64, 128, 256}) {
    for (const auto& grid : {std::vector<int>{}, {8}, {4, 4, 4}}) {
      const auto budgets = budgets_of(usual_roles(ranks, grid, {kLookAhead, true}), grid, {kLookAhead, true});
      ASSERT_EQ(budgets.size(), static_cast<std::size_t>(ranks)) << ranks << " ranks";
      const std::uint64_t least = grid.empty() ? 0 : 20;
      EXPECT_GE(budgets.front().bucket, least) << ranks << " ranks";
      EXPECT_LE(total(budgets), kLookAhead);
      EXPECT_GE(total(budgets), kLookAhead / 2);
    }
  }
}

TEST(Budget, IsNoneWhereTheLimitIsTooLow) {
  EXPECT_TRUE(budgets_of(Roles(2, 1, 0), {}, {1, true}).empty());
  EXPECT_FALSE(budgets_of(Roles(2, 1, 0), {}, {2, true}).empty());
  EXPECT_TRUE(budgets_of(Roles(2, 1, 1), {2}, {1, false}).empty());
}

}  // namespace
}  // namespace groma::randomaccess
