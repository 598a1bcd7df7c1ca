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

TEST(Activity, CountsMessagesByKind) {
  Activity before;
  before.count_message(4, 8);
  Activity all = before;
  for (const std::uint64_t updates : {8U, 7U, 1U, 0U}) all.count_message(updates, 8);
  const Activity done = all.since(before);
  EXPECT_EQ(done.messages, 4U);
  EXPECT_EQ(done.part_full, 2U);
  EXPECT_EQ(done.empty, 1U);
  EXPECT_EQ(done.bytes, 16U * sizeof(std::uint64_t));
}

TEST(Backoff, CountsTheTimeWithoutWork) {
  Backoff backoff;
  backoff.after_step(true);
  EXPECT_EQ(backoff.waited(), Seconds(0.0));
  const std::int64_t start = monotonic_ns();
  backoff.after_step(false);
  while (backoff.waited() == Seconds(0.0)) backoff.after_step(false);
  backoff.after_step(true);
  EXPECT_LE(backoff.waited(), between(start, monotonic_ns()));
}

TEST(Backoff, NeverCountsWorkThatFollows) {
  Backoff backoff;
  const std::int64_t start = monotonic_ns();
  backoff.after_step(false);
  backoff.after_step(false);
  const std::int64_t begin = monotonic_ns();
  while (monotonic_ns() < begin + 100'000) {
  }
  backoff.after_step(true);
  EXPECT_LE(backoff.waited(), between(start, begin));
}

}  // namespace
}  // namespace groma::randomaccess
