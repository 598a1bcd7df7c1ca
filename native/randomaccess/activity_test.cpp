#include "randomaccess/activity.hpp"

#include <gtest/gtest.h>

namespace groma::randomaccess {
namespace {

TEST(Activity, AddsCountsAndKeepsTheHighestPending) {
  Activity all{.most_pending = 7, .messages = 1, .bytes = 8, .handed = 2, .waited = Seconds(0.5)};
  all.add({.most_pending = 3, .messages = 2, .bytes = 16, .handed = 1, .waited = Seconds(0.25)});
  EXPECT_EQ(all.most_pending, 7U);
  EXPECT_EQ(all.messages, 3U);
  EXPECT_EQ(all.bytes, 24U);
  EXPECT_EQ(all.handed, 3U);
  EXPECT_DOUBLE_EQ(all.waited.value(), 0.75);
}

TEST(Patience, CountsTheTimeWithoutWork) {
  Patience patience;
  patience.spent_turn(true);
  EXPECT_EQ(patience.waited(), Seconds(0.0));
  const std::int64_t start = monotonic_ns();
  patience.spent_turn(false);
  while (patience.waited() == Seconds(0.0)) patience.spent_turn(false);
  patience.spent_turn(true);
  EXPECT_LE(patience.waited(), between(start, monotonic_ns()));
}

TEST(Patience, NeverCountsWorkThatFollows) {
  Patience patience;
  const std::int64_t start = monotonic_ns();
  patience.spent_turn(false);
  patience.spent_turn(false);
  const std::int64_t begin = monotonic_ns();
  while (monotonic_ns() < begin + 100'000) {
  }
  patience.spent_turn(true);
  EXPECT_LE(patience.waited(), between(start, begin));
}

}  // namespace
}  // namespace groma::randomaccess
