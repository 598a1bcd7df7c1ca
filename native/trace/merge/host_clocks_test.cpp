#include "trace/merge/host_clocks.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace groma::trace {
namespace {

/// Clocks in which a tick is a nanosecond. Those of the hosts differ by `ahead`, their times of day by
/// something else.
log::Header header(const char* host, std::uint64_t ahead, std::uint64_t world, std::uint32_t rank) {
  log::Header made{};
  std::strcpy(made.host.data(), host);  // NOLINT
  made.world = world;
  made.rank = rank;
  made.clock = log::Clock::system;
  made.begin = {1000 + ahead, 5'000'000'000 + 7 * ahead, 1000 + ahead};
  made.latest = {101'000 + ahead, 5'000'100'000 + 7 * ahead, 101'000 + ahead};
  return made;
}

/// Compared with a clock that is `reference` ahead.
log::Header compared(log::Header made, std::uint64_t reference, std::uint64_t half_trip) {
  const std::uint64_t ahead = made.begin.ticks - 1000;
  made.syncs = 2;
  made.sync[0] = {2000 + ahead, 2000 + reference, half_trip};
  made.sync[1] = {100'000 + ahead, 100'000 + reference, half_trip};
  return made;
}

constexpr std::uint64_t kA = 0;
constexpr std::uint64_t kB = 3'000'000'000;
constexpr std::uint64_t kC = 9'000'000'000;

/// What a clock says 50 microseconds after the first time of host a.
double at_fifty(const HostClocks& clocks, const char* host, std::uint64_t ahead) {
  return clocks.hosts().at(host).nanoseconds(51'000 + ahead);
}

TEST(HostClocks, FollowAnotherWorldByWayOfTheHostOfItsRankZero) {
  // Two worlds: rank 0 of the first is on a, that of the second on b.
  const log::Header a = compared(header("a", kA, 1, 0), kA, 0);
  const log::Header b = compared(header("b", kB, 1, 1), kA, 30);
  const log::Header own = compared(header("b", kB, 2, 0), kB, 0);
  const log::Header c = compared(header("c", kC, 2, 1), kB, 5);
  for (const auto& logs : {std::vector{&a, &b, &own, &c}, std::vector{&own, &c, &b, &a}}) {
    const HostClocks clocks(logs);
    const double expected = at_fifty(clocks, "a", kA);
    EXPECT_NEAR(at_fifty(clocks, "b", kB), expected, 1);
    EXPECT_NEAR(at_fifty(clocks, "c", kC), expected, 1);
  }
  const HostClocks clocks(std::vector{&a, &b, &own, &c});
  EXPECT_EQ(clocks.of(c).alignment(), Alignment::kMessages);
  EXPECT_NEAR(clocks.of(c).error(), 35, 1e-6) << "of both comparisons";
  EXPECT_EQ(clocks.of(c).comparisons(), 2U);
}

TEST(HostClocks, AreAlignedByTheTimeOfDayWhereTheyWereComparedWithALostOne) {
  const log::Header b = compared(header("b", kB, 1, 1), kA, 30);
  const log::Header c = compared(header("c", kC, 1, 2), kA, 5);
  const HostClocks clocks(std::vector{&b, &c});
  EXPECT_EQ(clocks.of(c).alignment(), Alignment::kSystem);
  EXPECT_NEAR(at_fifty(clocks, "c", kC) - at_fifty(clocks, "b", kB), 7.0 * (kC - kB), 1);
}

TEST(HostClocks, KnowTheHostOfALostRankZeroByAnotherRankThere) {
  const log::Header b = compared(header("b", kB, 1, 1), kA, 30);
  const log::Header a = compared(header("a", kA, 1, 2), kA, 0);
  const HostClocks clocks(std::vector{&b, &a});
  EXPECT_EQ(clocks.of(a).alignment(), Alignment::kMessages);
  EXPECT_NEAR(at_fifty(clocks, "a", kA), at_fifty(clocks, "b", kB), 1);
}

/// Of 100 seconds.
log::Header long_run(log::Header made) {
  made.latest.ticks = made.begin.ticks + 100'000'000'000;
  made.latest.monotonic = made.begin.monotonic + 100'000'000'000;
  return made;
}

/// Host b in a long run, compared with a after two seconds and again when so much has passed by each clock.
log::Header compared_twice(std::uint64_t passed, std::uint64_t passed_of_a) {
  constexpr std::uint64_t first = 2'000'000'000;
  log::Header made = long_run(header("b", kB, 1, 1));
  made.syncs = 2;
  made.sync[0] = {kB + first, kA + first, 20'000};
  made.sync[1] = {kB + first + passed, kA + first + passed_of_a, 20'000};
  return made;
}

/// Within the half trips, the comparisons differ by a tenth of the time between them.
TEST(HostClocks, RunOnAtTheirOwnRateWhereComparisonsAreTooCloseToTellIt) {
  log::Header a = long_run(compared(header("a", kA, 1, 0), kA, 0));
  log::Header b = compared_twice(100'000, 110'000);
  const HostClocks clocks(std::vector{&a, &b});
  const HostClock& known = clocks.of(a);
  const HostClock& other = clocks.of(b);
  constexpr double both_half_trips = 40'000;
  EXPECT_NEAR(other.nanoseconds(kB + 1000), known.nanoseconds(kA + 1000), both_half_trips);
  EXPECT_NEAR(other.nanoseconds(kB + 100'000'000'000), known.nanoseconds(kA + 100'000'000'000),
              both_half_trips);
  EXPECT_NEAR(other.nanoseconds_per_tick(), 1, 1e-4);
  EXPECT_NEAR(other.nanoseconds(kB + 2'000'100'000), known.nanoseconds(kA + 2'000'110'000), 1);
}

/// The straight line through two comparisons, in the same steps.
TEST(HostClocks, RunOnAtTheRateOfTheirComparisonsWhereTheseTellIt) {
  log::Header a = long_run(compared(header("a", kA, 1, 0), kA, 0));
  log::Header b = compared_twice(1'000'000'000, 1'000'060'000);
  const HostClocks clocks(std::vector{&a, &b});
  const HostClock& known = clocks.of(a);
  const HostClock& other = clocks.of(b);
  const double first = known.nanoseconds(b.sync[0].reference);
  const double slope = (known.nanoseconds(b.sync[1].reference) - first) / 1e9;
  EXPECT_NEAR(slope, 1.00006, 1e-9);
  EXPECT_EQ(other.nanoseconds_per_tick(), slope);
  for (const std::uint64_t after : {0U, 1'000U, 2'000'000'000U, 2'500'000'001U, 4'000'000'007U}) {
    const double passed = signed_difference(after, 2'000'000'000);
    EXPECT_EQ(other.nanoseconds(kB + after), first + passed * slope);
  }
}

}  // namespace
}  // namespace groma::trace
