#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "hpcc/benchmark.hpp"
#include "hpcc/effective_bandwidth/round.hpp"

namespace groma::hpcc {
namespace {

Sampler sampler_for(const mpi::Communicator& world, const Clock& clock) {
  return {world, clock, Messages::make(kBandwidthBytes, Bytes(16 * 2'001'024)).value()};
}

Routes all_routes(const mpi::Communicator& world) {
  return {.pairs = choose_pairs(world.size(), 3, RandomStream(1)),
          .rings = {neighbours_in(ring_order(world.size(), 0, 1), world.rank()),
                    neighbours_in(ring_order(world.size(), 1, 1), world.rank())}};
}

class MessageTests : public testing::Test {
 protected:
  void SetUp() override {
    if (world.size() == 1) GTEST_SKIP() << "a rank sends nothing to itself";
  }
  /// Wrong messages or bytes on all ranks.
  std::uint64_t wrong(const Lap& lap) const { return world.reduce_to_all(lap.wrong, mpi::Reduction::kSum); }

  mpi::Communicator world = mpi::Communicator::world();
  SystemClock clock;
};

TEST_F(MessageTests, ArriveAsSentInEveryPatternSizeAndBuffer) {
  Sampler sampler = sampler_for(world, clock);
  const Routes routes = all_routes(world);
  std::uint64_t number = 1;
  for (const Exchange exchange : {Exchange::kPingPong, Exchange::kSendReceive, Exchange::kNonBlocking}) {
    for (const BufferState buffers :
         {BufferState::kReused, BufferState::kReusedHuge, BufferState::kRotating}) {
      for (const std::uint64_t bytes : {1U, 2U, 8U, 4097U, 100'001U}) {
        const Pattern pattern{exchange, Purpose::kCurve, buffers, 1, bytes, 2, 3, 1};
        const Lap lap = sampler.sample(pattern, routes, number++);
        EXPECT_EQ(lap.wrong, 0U) << name_of(exchange) << " " << name_of(buffers) << " " << bytes;
        EXPECT_EQ(lap.took_part, lap.time.value() > 0.0);
      }
    }
  }
}

TEST_F(MessageTests, OnlyTheRanksOfAPairTakePart) {
  Sampler sampler = sampler_for(world, clock);
  const Routes routes = all_routes(world);
  const Pattern pattern{Exchange::kPingPong, Purpose::kCurve, BufferState::kReused, 0, 8, 1, 1, 1};
  const Lap lap = sampler.sample(pattern, routes, 1);
  EXPECT_EQ(world.reduce_to_all(std::int32_t{lap.took_part}, mpi::Reduction::kSum), 2);
}

TEST_F(MessageTests, OfAWrongSampleAreCaught) {
  Sampler sampler = sampler_for(world, clock);
  const Routes routes = all_routes(world);
  // One rank sends what belongs to another sample: every byte but the stamped ones is wrong.
  const std::uint64_t number = world.rank() == routes.pairs[0].client ? 8 : 7;
  for (const Exchange exchange : {Exchange::kPingPong, Exchange::kSendReceive, Exchange::kNonBlocking}) {
    const Pattern pattern{exchange, Purpose::kCurve, BufferState::kReused, 0, 1000, 1, 1, 1};
    EXPECT_GT(wrong(sampler.sample(pattern, routes, number)), 1500U) << name_of(exchange);
  }
}

TEST_F(MessageTests, OfOneRoundHaveTimesSkewsAndViews) {
  Sampler sampler = sampler_for(world, clock);
  const Routes routes = all_routes(world);
  std::vector<Pattern> patterns = {
      {Exchange::kPingPong, Purpose::kDefinition, BufferState::kReused, 0, 8, 1, 2, 2, 0},
      {Exchange::kSendReceive, Purpose::kDefinition, BufferState::kReused, 0, 8, 1, 2, 3, 2},
      {Exchange::kNonBlocking, Purpose::kDefinition, BufferState::kReused, 0, 8, 1, 2, 3, 5},
  };
  Rounds rounds(world, clock, sampler, patterns, routes, 1);
  const RoundResult round = rounds.run(0);
  EXPECT_EQ(round.wrong, 0U);
  if (!world.is_root()) return;
  ASSERT_EQ(round.views.size(), static_cast<std::size_t>(world.size()));
  for (std::size_t slot = 0; slot < 8; ++slot) {
    EXPECT_GT(round.times[slot], 0.0);
    EXPECT_GE(round.times[slot], round.decisive[slot]);
    EXPECT_GE(round.skews[slot], 0.0);
  }
  // The slowest rank of a ring decides, each with its faster way to exchange.
  for (std::size_t repeat = 0; repeat < 3; ++repeat) {
    double slowest = 0.0;
    double decisive = 0.0;
    for (const RankView& view : round.views) {
      slowest = std::max(slowest, view.times[2 + repeat]);
      decisive = std::max(decisive, std::min(view.times[2 + repeat], view.times[5 + repeat]));
    }
    EXPECT_EQ(round.times[2 + repeat], slowest);
    EXPECT_EQ(round.decisive[2 + repeat], decisive);
  }
  const auto& client = round.views[static_cast<std::size_t>(routes.pairs[0].client)];
  EXPECT_EQ(round.times[0], client.times[0]) << "the client's time counts, not the server's";
}

TEST(ToldRanks, AreSpreadEvenlyWithTheFirstAndTheLast) {
  EXPECT_EQ(told_ranks(3, 4), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(told_ranks(101, 3), (std::vector<int>{0, 50, 100}));
  EXPECT_EQ(told_ranks(100'000, 32).size(), 32U);
}

/// The registered benchmark on a plan that leaves it no time; run once for all tests.
class EffectiveBandwidth : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    plan.effort = {.repetitions = 2, .budget = Seconds(0.01)};
    const auto world = mpi::Communicator::world();
    const SystemClock clock;
    const std::atomic<bool> cancelled = false;
    const Context context{{world, clock, cancelled, sink, plan.effort.repetitions, clock.now()}, plan};
    outcome = Benchmarks::find("effective_bandwidth")->run(context).value();
    for (const SummaryEntry& one : outcome.summary) values[one.key] = std::stod(one.value);
  }

  mpi::Communicator world = mpi::Communicator::world();
  static inline Plan plan;
  static inline CollectingSink sink;
  static inline Outcome outcome;
  static inline std::map<std::string, double> values;
};

TEST_F(EffectiveBandwidth, GivesAllKeysOrMinusOneForASingleRank) {
  if (!world.is_root()) return;
  ASSERT_EQ(values.size(), 10U);
  if (world.size() == 1) {
    for (const auto& [key, value] : values) EXPECT_EQ(value, -1.0) << key;
    return;
  }
  for (const auto& [key, value] : values) EXPECT_GT(value, 0.0) << key;
  for (const std::string what : {"PingPongLatency_usec", "PingPongBandwidth_GBytes"}) {
    EXPECT_LE(values["Min" + what], values["Avg" + what]);
    EXPECT_LE(values["Avg" + what], values["Max" + what]);
  }
  ASSERT_EQ(outcome.checks.size(), 1U);
  EXPECT_TRUE(outcome.checks[0].passed());
}

TEST_F(EffectiveBandwidth, TellsEverySampleOfEveryRound) {
  if (!world.is_root() || world.size() == 1) return;
  ASSERT_EQ(sink.labels.size(), sink.values.size());
  EXPECT_EQ(sink.rounds.size(), 2U);
  std::map<std::string, int> series;
  for (std::size_t i = 0; i < sink.labels.size(); ++i) {
    EXPECT_GE(sink.values[i].size(), 2U) << sink.labels[i];
    for (const std::string name :
         {"time", "rank_time", "warm_up", "start_skew", "clock_offset", "fixed_work"}) {
      if (sink.labels[i].find("\"series\":\"" + name + "\"") != std::string::npos) ++series[name];
    }
  }
  EXPECT_EQ(series.size(), 6U);
  EXPECT_EQ(series["time"], series["warm_up"]);
}

TEST_F(EffectiveBandwidth, RecordsTheOrderOfItsRings) {
  if (!world.is_root() || world.size() == 1) return;
  std::string order;
  for (const int rank : ring_order(world.size(), 2, plan.seed)) {
    order += (order.empty() ? "" : ",") + std::to_string(rank);
  }
  const std::string expected = "\"ring\":2,\"order\":[" + order + "]";
  EXPECT_TRUE(std::any_of(sink.labels.begin(), sink.labels.end(), [&](const std::string& label) {
    return label.find(expected) != std::string::npos;
  })) << expected;
}

}  // namespace
}  // namespace groma::hpcc
