#include "base/clock.hpp"

#include <gtest/gtest.h>

namespace groma {
namespace {

TEST(Clock, NeverGoesBack) {
  const SystemClock clock;
  Seconds wall = clock.now();
  Seconds cpu = clock.thread_cpu();
  std::int64_t nanoseconds = monotonic_ns();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GE(clock.now(), wall);
    EXPECT_GE(clock.thread_cpu(), cpu);
    EXPECT_GE(monotonic_ns(), nanoseconds);
    wall = clock.now();
    cpu = clock.thread_cpu();
    nanoseconds = monotonic_ns();
  }
}

TEST(Clock, KeepsANanosecondAfterYearsOfRunning) {
  constexpr std::int64_t kTenYears = 315'360'000'000'000'000;
  EXPECT_DOUBLE_EQ(between(kTenYears, kTenYears + 1).value(), 1e-9);
}

TEST(Clock, ReadsOneTimeInBothUnits) {
  const std::int64_t before = monotonic_ns();
  const double now = SystemClock().now().value();
  const std::int64_t after = monotonic_ns();
  // A double holds the uptime of a year to four nanoseconds.
  EXPECT_GE(now, 1e-9 * static_cast<double>(before) - 1e-6);
  EXPECT_LE(now, 1e-9 * static_cast<double>(after) + 1e-6);
}

}  // namespace
}  // namespace groma
