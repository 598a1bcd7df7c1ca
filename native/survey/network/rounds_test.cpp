#include "survey/network/rounds.hpp"

#include <gtest/gtest.h>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

SamplingRule rule() {
  return {.budget = Seconds(10.0), .min_rounds = 7, .max_rounds = 20};
}

TEST(Rounds, AreNeverFewerThanThree) {
  EXPECT_TRUE(has_time(rule(), 0, Seconds(100.0), Seconds(50.0)));
  EXPECT_TRUE(has_time(rule(), 2, Seconds(100.0), Seconds(50.0)));
  EXPECT_FALSE(has_time(rule(), 3, Seconds(100.0), Seconds(50.0)));
}

TEST(Rounds, BelowTheFewestWantedMayTakeHalfABudgetMore) {
  EXPECT_TRUE(has_time(rule(), 6, Seconds(12.0), Seconds(2.0)));
  EXPECT_FALSE(has_time(rule(), 6, Seconds(14.0), Seconds(2.0)));
  EXPECT_FALSE(has_time(rule(), 7, Seconds(12.0), Seconds(2.0)));
  EXPECT_TRUE(has_time(rule(), 7, Seconds(7.0), Seconds(2.0)));
}

}  // namespace
}  // namespace groma::survey::network
