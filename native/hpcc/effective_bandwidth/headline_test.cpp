#include "hpcc/effective_bandwidth/headline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

/// A few patterns and the times of their repeats.
class Samples {
 public:
  Samples& add(Exchange exchange, std::uint32_t route, std::uint64_t bytes, const std::vector<double>& times,
               BufferState buffers = BufferState::kReused) {
    patterns.push_back({exchange, Purpose::kDefinition, buffers, route, bytes, 1, 1,
                        static_cast<std::uint32_t>(times.size()), decisive.size()});
    decisive.insert(decisive.end(), times.begin(), times.end());
    return *this;
  }
  [[nodiscard]] double value(std::string_view key, BufferState buffers = BufferState::kReused) const {
    const HeadlineValues values = headlines_of(patterns, decisive, buffers);
    for (std::size_t i = 0; i < kHeadlines; ++i) {
      if (headlines().at(i).key == key) return values.at(i);
    }
    return 0.0;
  }
  std::vector<Pattern> patterns;
  std::vector<double> decisive;
};

TEST(Headlines, TakeTheBestRepeatOfEachPairThenCompareThePairs) {
  Samples samples;
  samples.add(Exchange::kPingPong, 0, kLatencyBytes, {3.0, 1.0, 9.0});
  samples.add(Exchange::kPingPong, 1, kLatencyBytes, {4.0, 5.0, 6.0});
  EXPECT_EQ(samples.value("MinPingPongLatency_usec"), 1.0);
  EXPECT_EQ(samples.value("AvgPingPongLatency_usec"), 2.5);
  EXPECT_EQ(samples.value("MaxPingPongLatency_usec"), 4.0);
}

TEST(Headlines, AverageBandwidthsAndNotTimes) {
  Samples samples;
  samples.add(Exchange::kPingPong, 0, kBandwidthBytes, {1.0, 2.0});
  samples.add(Exchange::kPingPong, 1, kBandwidthBytes, {4.0, 8.0});
  EXPECT_EQ(samples.value("MaxPingPongBandwidth_GBytes"), 2e6);
  EXPECT_EQ(samples.value("MinPingPongBandwidth_GBytes"), 0.5e6);
  EXPECT_EQ(samples.value("AvgPingPongBandwidth_GBytes"), 1.25e6);
}

TEST(Headlines, TakeTheGeometricMeanOverRandomRingsOnly) {
  Samples samples;
  for (const std::uint64_t bytes : {kLatencyBytes, kBandwidthBytes}) {
    samples.add(Exchange::kSendReceive, 0, bytes, {5.0, 7.0});
    samples.add(Exchange::kSendReceive, 1, bytes, {1.0, 2.0});
    samples.add(Exchange::kSendReceive, 2, bytes, {9.0, 4.0});
  }
  EXPECT_NEAR(samples.value("NaturallyOrderedRingLatency_usec"), 5.0, 1e-12);
  EXPECT_NEAR(samples.value("RandomlyOrderedRingLatency_usec"), 2.0, 1e-12);
  EXPECT_NEAR(samples.value("NaturallyOrderedRingBandwidth_GBytes"), 2e6 / 5.0, 1e-6);
  EXPECT_NEAR(samples.value("RandomlyOrderedRingBandwidth_GBytes"), 1e6, 1e-6);
  const RingSpread spread = random_ring_spread(samples.patterns, samples.decisive, kBandwidthBytes);
  EXPECT_EQ(spread.fastest, 1.0);
  EXPECT_EQ(spread.slowest, 4.0);
}

TEST(Headlines, KeepBufferStatesApart) {
  Samples samples;
  samples.add(Exchange::kPingPong, 0, kLatencyBytes, {1.0});
  samples.add(Exchange::kPingPong, 0, kLatencyBytes, {8.0}, BufferState::kRotating);
  EXPECT_EQ(samples.value("MaxPingPongLatency_usec"), 1.0);
  EXPECT_EQ(samples.value("MaxPingPongLatency_usec", BufferState::kRotating), 8.0);
  EXPECT_TRUE(std::isnan(samples.value("MaxPingPongLatency_usec", BufferState::kReusedHuge)));
}

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

TEST(Headlines, FollowFromWhatWasMeasuredOfAPartialRound) {
  Samples samples;
  samples.add(Exchange::kPingPong, 0, kLatencyBytes, {kNothing, 2.0});
  samples.add(Exchange::kPingPong, 1, kLatencyBytes, {kNothing, kNothing});
  samples.add(Exchange::kSendReceive, 1, kBandwidthBytes, {2.0});
  samples.add(Exchange::kSendReceive, 2, kBandwidthBytes, {kNothing});
  EXPECT_EQ(samples.value("AvgPingPongLatency_usec"), 2.0);
  EXPECT_NEAR(samples.value("RandomlyOrderedRingBandwidth_GBytes"), 1e6, 1e-6);
  EXPECT_TRUE(std::isnan(samples.value("NaturallyOrderedRingBandwidth_GBytes")));
  EXPECT_TRUE(std::isnan(samples.value("MinPingPongBandwidth_GBytes")));
  EXPECT_EQ(coverage_of(samples.patterns, samples.decisive), (Coverage{1, 0, 0, 1}));
}

TEST(Summary, IsTheMedianOverTheRoundsInTheUnitsOfTheKeys) {
  std::vector<HeadlineValues> rounds(3);
  rounds[0].fill(1e-6);
  rounds[1].fill(5e-6);
  rounds[2].fill(2e-6);
  for (const SummaryEntry& one : summary_of(rounds)) {
    EXPECT_EQ(one.value, one.key.ends_with("usec") ? "2" : "2e-15") << one.key;
  }
}

TEST(Summary, IsMinusOneWhereNoRoundHasAValue) {
  for (const auto& rounds : {std::vector<HeadlineValues>{}, std::vector<HeadlineValues>(1)}) {
    auto missing = rounds;
    for (HeadlineValues& one : missing) one.fill(kNothing);
    const auto summary = summary_of(missing);
    EXPECT_EQ(summary.size(), kHeadlines);
    for (const SummaryEntry& one : summary) EXPECT_EQ(one.value, "-1");
  }
}

}  // namespace
}  // namespace groma::hpcc
