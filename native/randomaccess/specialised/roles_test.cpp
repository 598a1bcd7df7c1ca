#include "randomaccess/specialised/roles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace groma::randomaccess {
namespace {

void for_all_roles(const std::function<void(const Roles& roles)>& check) {
  for (int ranks = 2; ranks <= 12; ++ranks) {
    for (int routers = 1; routers < ranks; ++routers) {
      for (int dimensions = 0; dimensions <= 5; ++dimensions) check(Roles(ranks, routers, dimensions));
    }
  }
}

std::string describe(const Roles& roles) {
  return std::to_string(roles.routers()) + " of " + std::to_string(roles.ranks()) + " ranks route " +
         std::to_string(roles.dimensions()) + " dimensions";
}

TEST(Roles, AreThoseOfThePaperOnFourCores) {
  const Roles roles(4, usual_routers(4, 3), 3);
  EXPECT_EQ(roles.name(0), "generate, route 1");
  EXPECT_EQ(roles.name(1), "route 2");
  EXPECT_EQ(roles.name(2), "route 3");
  EXPECT_EQ(roles.name(3), "update");
  EXPECT_EQ(roles.targets(0), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(roles.targets(1), (std::vector<int>{2, 3}));
  EXPECT_EQ(roles.targets(2), std::vector<int>{3});
  EXPECT_EQ(roles.rank_at(0, 3), 3) << "what the last dimension brings goes to the rank that updates";
}

TEST(Roles, DivideManyDimensionsAmongFewRanks) {
  const Roles roles(4, 2, 3);
  EXPECT_EQ(roles.name(0), "generate, route 1, route 2");
  EXPECT_EQ(roles.name(1), "route 3, deliver");
  EXPECT_EQ(roles.name(2), "update");
}

TEST(Roles, OnOneNodeGenerateAndUpdate) {
  const Roles roles(6, 2, 0);
  EXPECT_EQ(roles.lanes(), 2);
  EXPECT_EQ(roles.name(1), "generate");
  EXPECT_EQ(roles.name(2), "update");
  EXPECT_EQ(roles.targets(0), (std::vector<int>{2, 3, 4, 5}));
}

TEST(Roles, GiveEveryStageOfEveryLaneToOneRank) {
  for_all_roles([](const Roles& roles) {
    for (int lane = 0; lane < roles.lanes(); ++lane) {
      for (int stage = 0; stage <= roles.dimensions(); ++stage) {
        int doing = 0;
        for (int rank = 0; rank < roles.ranks(); ++rank) {
          const bool on_lane = roles.updates(rank) || roles.lane(rank) == lane;
          doing += static_cast<int>(on_lane && roles.stages(rank).has(stage));
        }
        ASSERT_EQ(doing, 1) << describe(roles);
        ASSERT_TRUE(roles.stages(roles.rank_at(lane, stage)).has(stage)) << describe(roles);
      }
    }
  });
}

TEST(Roles, LeaveNoRankThatRoutesWithoutAStage) {
  for_all_roles([](const Roles& roles) {
    std::vector<int> lengths;
    for (int rank = 0; rank < roles.routers(); ++rank) {
      const Stages own = roles.stages(rank);
      lengths.push_back(own.end - own.first);
    }
    ASSERT_GE(std::ranges::min(lengths), 1) << describe(roles);
    const int spread = std::ranges::max(lengths) - std::ranges::min(lengths);
    ASSERT_TRUE(spread <= 1 || roles.lanes() > 1) << describe(roles);
  });
}

TEST(Roles, PassUpdatesToLaterStagesOnly) {
  for_all_roles([](const Roles& roles) {
    for (int rank = 0; rank < roles.ranks(); ++rank) {
      for (const int target : roles.targets(rank)) {
        ASSERT_GE(roles.stages(target).first, roles.stages(rank).end - 1) << describe(roles);
        ASSERT_GT(target, rank) << describe(roles);
        const auto back = roles.sources(target);
        ASSERT_EQ(std::ranges::count(back, rank), 1) << describe(roles);
      }
    }
  });
}

TEST(UsualRouters, LeaveRanksToRouteAndRanksToUpdate) {
  for (int ranks = 2; ranks <= 256; ++ranks) {
    for (int dimensions = 0; dimensions <= 6; ++dimensions) {
      EXPECT_GE(usual_routers(ranks, dimensions), 1);
      EXPECT_LT(usual_routers(ranks, dimensions), ranks);
    }
  }
  EXPECT_EQ(usual_routers(4, 3), 3);
  EXPECT_EQ(usual_routers(8, 1), 4);
  EXPECT_EQ(usual_routers(8, 0), 2);
  EXPECT_EQ(usual_routers(16, 0), 5);
}

}  // namespace
}  // namespace groma::randomaccess
