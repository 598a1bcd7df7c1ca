#include "survey/network/round_robin.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

TEST(RoundRobin, LetsEveryoneMeetEveryoneOnce) {
  for (std::uint32_t players = 0; players <= 33; ++players) {
    const RoundRobin tournament(players);
    std::set<std::pair<std::uint32_t, std::uint32_t>> met;
    for (std::uint32_t turn = 0; turn < tournament.turns(); ++turn) {
      std::uint32_t alone = 0;
      for (std::uint32_t player = 0; player < players; ++player) {
        const auto other = tournament.opponent(player, turn);
        alone += other ? 0 : 1;
        if (!other) continue;
        ASSERT_NE(*other, player);
        ASSERT_EQ(tournament.opponent(*other, turn), player) << "of " << players << " in turn " << turn;
        EXPECT_TRUE(met.emplace(player, *other).second);
      }
      EXPECT_EQ(alone, players % 2);
    }
    EXPECT_EQ(met.size(), players < 2 ? 0U : std::size_t{players} * (players - 1));
  }
}

}  // namespace
}  // namespace groma::survey::network
