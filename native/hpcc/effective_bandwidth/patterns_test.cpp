#include "hpcc/effective_bandwidth/patterns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace groma::hpcc {
namespace {

Costs costs(double sample) {
  const Cost cost{Seconds(1e-6), Seconds(sample)};
  return {cost, cost, cost, cost};
}

TEST(Scope, IsThatOfTheOriginalWhereThereIsTime) {
  const Scope scope = scope_for(costs(1e-6), Seconds(10.0), 4, false);
  EXPECT_EQ(scope.latency_pairs, 12U);
  EXPECT_EQ(scope.bandwidth_pairs, 12U);
  EXPECT_EQ(scope.latency_rings, 30U);
  EXPECT_EQ(scope.bandwidth_rings, 10U);
  EXPECT_TRUE(scope.other_states);
}

TEST(Scope, ShrinksToAMinimumWhereThereIsNone) {
  const Scope scope = scope_for(costs(1.0), Seconds(0.0), 100, false);
  EXPECT_EQ(scope.latency_pairs, 5U);
  EXPECT_EQ(scope.bandwidth_pairs, 5U);
  EXPECT_EQ(scope.latency_rings, 3U);
  EXPECT_EQ(scope.bandwidth_rings, 3U);
  EXPECT_FALSE(scope.other_states);
  EXPECT_EQ(scope_for(costs(1.0), Seconds(0.0), 2, false).latency_pairs, 2U) << "there are no more";
}

TEST(Scope, DoesNotGrowWithTheSquareOfTheRanks) {
  EXPECT_EQ(scope_for(costs(1e-9), Seconds(1e3), 100'000, false).latency_pairs, 1024U);
}

TEST(Scope, KeepsARoundWithinItsTime) {
  const double sample = 1e-3;
  const Scope scope = scope_for(costs(sample), Seconds(1.0), 1000, false);
  const double pairs = static_cast<double>(5 * scope.latency_pairs + 2 * scope.bandwidth_pairs);
  const double rings = 2.0 * (5.0 * scope.latency_rings + 2.0 * scope.bandwidth_rings);
  EXPECT_LE(sample * (pairs + rings), 1.0);
  EXPECT_GT(sample * (pairs + rings), 0.5);
}

TEST(Scope, LengthensLoopsByHalvesToTenMicroseconds) {
  EXPECT_EQ(scope_for(costs(1e-6), Seconds(1.0), 2, false).latency_pair.loop, 12U);
  Costs slow = costs(1e-6);
  slow.ring_latency.iteration = Seconds(1e-3);
  slow.ring_bandwidth.iteration = Seconds(1e-3);
  EXPECT_EQ(scope_for(slow, Seconds(1.0), 2, false).latency_ring.loop, 8U);
  EXPECT_EQ(scope_for(slow, Seconds(1.0), 2, false).bandwidth_ring.loop, 3U);
}

TEST(Scope, WarmsUpByOneIterationWhereThatTakesLong) {
  EXPECT_EQ(scope_for(costs(1e-6), Seconds(1.0), 2, false).latency_pair.warm_ups, 50U);
  Costs slow = costs(1e-6);
  slow.ping_pong_latency.iteration = Seconds(1e-3);
  slow.ping_pong_bandwidth.iteration = Seconds(0.1);
  EXPECT_EQ(scope_for(slow, Seconds(1.0), 2, false).latency_pair.warm_ups, 1U);
  EXPECT_EQ(scope_for(slow, Seconds(1.0), 2, false).bandwidth_pair.warm_ups, 1U);
}

TEST(Patterns, GiveEachSampleASlotOfItsOwn) {
  const auto patterns = patterns_of(scope_for(costs(1e-6), Seconds(10.0), 3, true));
  std::size_t next = 0;
  for (const Pattern& one : patterns) {
    EXPECT_EQ(one.slot, next);
    next += one.repeats;
  }
  EXPECT_EQ(slots_of(patterns), next);
}

TEST(Patterns, PutBothWaysToExchangeSideBySide) {
  const auto patterns = patterns_of(scope_for(costs(1e-6), Seconds(10.0), 3, true));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (patterns[i].exchange != Exchange::kSendReceive) continue;
    ASSERT_LT(i + 1, patterns.size());
    const Pattern& twin = patterns[i + 1];
    EXPECT_EQ(twin.exchange, Exchange::kNonBlocking);
    EXPECT_EQ(twin.route, patterns[i].route);
    EXPECT_EQ(twin.bytes, patterns[i].bytes);
    EXPECT_EQ(twin.repeats, patterns[i].repeats);
  }
}

TEST(Patterns, SendCurvesOverAllSizesOnRequestOnly) {
  Scope scope = scope_for(costs(1e-6), Seconds(10.0), 2, true);
  std::set<std::uint64_t> sizes;
  for (const Pattern& one : patterns_of(scope)) {
    EXPECT_LE(one.bytes, largest_message(true));
    if (one.purpose == Purpose::kCurve) sizes.insert(one.bytes);
  }
  EXPECT_GT(sizes.size(), 35U);
  EXPECT_EQ(*sizes.begin(), 1U);
  EXPECT_EQ(*sizes.rbegin(), largest_message(true));
  scope.curves = false;
  for (const Pattern& one : patterns_of(scope)) EXPECT_EQ(one.purpose, Purpose::kDefinition);
}

TEST(Turns, AreAllSamplesInAnOrderOfTheirOwn) {
  const auto patterns = patterns_of(scope_for(costs(1e-6), Seconds(10.0), 2, false));
  const auto slots = [&](std::uint64_t round) {
    std::vector<std::size_t> order;
    for (const Turn& turn : turns_of_round(patterns, RandomStream(1).fork(round))) {
      const Pattern& pattern = patterns[turn.pattern];
      EXPECT_TRUE(pattern.slot <= turn.slot && turn.slot < pattern.slot + pattern.repeats);
      order.push_back(turn.slot);
    }
    return order;
  };
  auto first = slots(0);
  EXPECT_EQ(first, slots(0));
  EXPECT_NE(first, slots(1));
  std::sort(first.begin(), first.end());
  ASSERT_EQ(first.size(), slots_of(patterns));
  for (std::size_t slot = 0; slot < first.size(); ++slot) EXPECT_EQ(first[slot], slot);
}

}  // namespace
}  // namespace groma::hpcc
