#include "hpcc/effective_bandwidth/patterns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace groma::hpcc {
namespace {

/// Every exchange takes `latency` and so much more for each byte.
Network network(double latency, double seconds_per_byte = 0.0) {
  const MessageTime time{Seconds(latency), seconds_per_byte};
  return {.pair = time, .ring = time, .random_ring = time, .is_measured = true};
}

const Network kFast = network(1e-6, 0.2e-9);
/// 50 Mbit/s.
const Network kSlow = network(0.3e-3, 0.16e-6);

constexpr Allowance kPlenty{Seconds(1e4), 5};

Scope scope_in(const Network& network, double seconds, int ranks) {
  return scope_for(network, {Seconds(seconds), 5}, ranks, false);
}

double time_of(const Network& network, const Scope& scope, int ranks) {
  double sum = 0.0;
  for (const Pattern& one : patterns_of(scope)) {
    sum += one.repeats * expected_time(network, ranks, one).value();
  }
  return sum;
}

TEST(Scope, IsThatOfTheOriginalWhereThereIsTime) {
  for (const Network& network : {kFast, kSlow}) {
    const Scope scope = scope_for(network, kPlenty, 4, false);
    EXPECT_EQ(scope.latency_pairs.routes, 12U);
    EXPECT_EQ(scope.bandwidth_pairs.routes, 12U);
    EXPECT_EQ(scope.latency_rings.routes, 30U);
    EXPECT_EQ(scope.bandwidth_rings.routes, 10U);
    EXPECT_EQ(scope.latency_rings.repeats, 5U);
    EXPECT_EQ(scope.bandwidth_rings.repeats, 2U);
    EXPECT_GE(scope.bandwidth_rings.loop, 3U);
    EXPECT_TRUE(scope.other_states);
  }
}

TEST(Scope, KeepsTheDefinitionWhereOneRoundOfItEnds) {
  const double once = time_of(kSlow, scope_in(kSlow, 1e9, 4), 4);
  const Scope scope = scope_in(kSlow, once, 4);
  EXPECT_EQ(scope.bandwidth_rings.routes, 10U);
  EXPECT_EQ(scope.bandwidth_pairs.routes, 12U);
  EXPECT_FALSE(scope.other_states) << "these are measured where all rounds end";
}

TEST(Scope, LeavesOutRingsAndPairsThatDoNotEndInTime) {
  const Scope scope = scope_in(kSlow, 60.0, 4);
  EXPECT_EQ(scope.latency_rings.routes, 30U) << "short messages cost nothing";
  EXPECT_LT(scope.bandwidth_rings.routes, 10U);
  EXPECT_GE(scope.bandwidth_rings.routes, 3U);
  EXPECT_FALSE(scope.other_states);
}

TEST(Scope, ShrinksToASingleSampleOfEachKind) {
  const Scope scope = scope_in(network(1.0), 0.0, 100);
  for (const RouteSampling& sampling :
       {scope.latency_pairs, scope.bandwidth_pairs, scope.latency_rings, scope.bandwidth_rings}) {
    EXPECT_EQ(sampling, (RouteSampling{.routes = 1, .repeats = 1, .warm_ups = 0, .loop = 1}));
  }
}

TEST(Scope, DoesNotGrowWithTheSquareOfTheRanks) {
  EXPECT_EQ(scope_for(network(1e-9), kPlenty, 100'000, false).latency_pairs.routes, 1024U);
}

TEST(Scope, MeasuresMoreThanSixtyFourPairsWhereTheyTakeLittleOfARound) {
  const Scope scope = scope_in(network(1e-5, 1e-9), 10.0, 100);
  EXPECT_GE(scope.bandwidth_pairs.routes, 64U);
  EXPECT_LT(scope.bandwidth_pairs.routes, 1024U);
  EXPECT_EQ(scope.bandwidth_rings.routes, 10U);
}

TEST(Scope, KeepsARoundWithinItsTime) {
  for (const Network& network : {kFast, kSlow, network(1e-3, 1.6e-6)}) {
    for (const int ranks : {2, 4, 8, 100}) {
      for (const double seconds : {60.0, 120.0, 300.0}) {
        const double expected = time_of(network, scope_in(network, seconds, ranks), ranks);
        EXPECT_LE(expected, seconds) << ranks << " ranks";
      }
    }
  }
}

TEST(Scope, LengthensLoopsByHalvesToTenMicroseconds) {
  EXPECT_EQ(scope_in(network(0.5e-6), 1.0, 2).latency_pairs.loop, 12U);
  EXPECT_EQ(scope_in(network(1e-3), 1e3, 2).latency_rings.loop, 8U);
  EXPECT_EQ(scope_in(network(1e-3), 1e3, 2).bandwidth_rings.loop, 3U);
}

TEST(Scope, WarmsUpByOneIterationWhereThatTakesLong) {
  EXPECT_EQ(scope_in(network(0.5e-6), 1.0, 2).latency_pairs.warm_ups, 50U);
  EXPECT_EQ(scope_in(network(0.5e-3), 1e3, 2).latency_pairs.warm_ups, 1U);
  EXPECT_EQ(scope_in(network(0.05), 1e6, 2).bandwidth_pairs.warm_ups, 1U);
}

TEST(Patterns, GiveEachSampleASlotOfItsOwn) {
  const auto patterns = patterns_of(scope_for(kFast, kPlenty, 3, true));
  std::size_t next = 0;
  for (const Pattern& one : patterns) {
    EXPECT_EQ(one.slot, next);
    next += one.repeats;
  }
  EXPECT_EQ(slots_of(patterns), next);
}

TEST(Patterns, PutBothWaysToExchangeSideBySide) {
  const auto patterns = patterns_of(scope_for(kFast, kPlenty, 3, true));
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
  Scope scope = scope_for(kFast, kPlenty, 2, true);
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

using Order = std::vector<SampleSlot> (*)(const std::vector<Pattern>&, RandomStream);

class SampleOrder : public testing::TestWithParam<Order> {};

TEST_P(SampleOrder, HasAllSamplesInAnOrderOfItsOwn) {
  const auto patterns = patterns_of(scope_for(kFast, kPlenty, 2, false));
  const auto slots = [&](std::uint64_t round) {
    std::vector<std::size_t> order;
    for (const SampleSlot& sample : GetParam()(patterns, RandomStream(1).fork(round))) {
      const Pattern& pattern = patterns[sample.pattern];
      EXPECT_TRUE(pattern.slot <= sample.slot && sample.slot < pattern.slot + pattern.repeats);
      order.push_back(sample.slot);
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

INSTANTIATE_TEST_SUITE_P(Both, SampleOrder, testing::Values(random_order, urgent_order));

TEST(UrgentOrder, BeginsWithOneSampleOfEveryKind) {
  const auto patterns = patterns_of(scope_for(kFast, kPlenty, 4, true));
  const auto order = urgent_order(patterns, RandomStream(1));
  std::set<std::tuple<std::uint64_t, bool, bool>> kinds;
  constexpr std::size_t kFirst = 8;  // pairs and rings, two of each and size
  for (std::size_t i = 0; i < kFirst; ++i) {
    const Pattern& one = patterns[order[i].pattern];
    EXPECT_EQ(one.buffers, BufferState::kReused);
    EXPECT_NE(one.exchange, Exchange::kSendReceive);
    EXPECT_EQ(one.bytes, i < kFirst / 2 ? kLatencyBytes : kBandwidthBytes);
    kinds.insert({one.bytes, one.exchange == Exchange::kPingPong, one.route == 0});
  }
  EXPECT_EQ(kinds.size(), kFirst);
}

}  // namespace
}  // namespace groma::hpcc
