#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <string>

#include "hpcc/benchmark.hpp"
#include "hpcc/effective_bandwidth/round.hpp"
#include "testing/collecting_sink.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

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

class MessageTests : public ::testing::Test {
 protected:
  void SetUp() override {
    if (world.size() == 1) GTEST_SKIP() << "a rank sends nothing to itself";
  }
  /// Wrong messages or bytes on all ranks.
  std::uint64_t wrong(const RankSample& lap) const {
    return world.reduce_to_all(lap.wrong, mpi::Reduction::kSum);
  }

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
        const RankSample lap = sampler.sample(pattern, routes, number++);
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
  const RankSample lap = sampler.sample(pattern, routes, 1);
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

/// One sample each way, and a schedule that leaves time for all of them.
class RoundTests : public MessageTests {
 protected:
  Schedule schedule(Seconds end) { return {patterns, random_order(patterns, RandomStream(1)), pace, end}; }
  [[nodiscard]] Measured measured() const { return {world, clock, cancelled, patterns, routes}; }

  std::vector<Pattern> patterns = {
      {Exchange::kPingPong, Purpose::kDefinition, BufferState::kReused, 0, 8, 1, 2, 2, 0},
      {Exchange::kSendReceive, Purpose::kDefinition, BufferState::kReused, 0, 8, 1, 2, 3, 2},
      {Exchange::kNonBlocking, Purpose::kDefinition, BufferState::kReused, 0, 8, 1, 2, 3, 5},
  };
  Routes routes = all_routes(world);
  Pace pace{Network{}, world.size()};
  std::atomic<bool> cancelled = false;
};

TEST_F(RoundTests, HaveTimesSkewsAndViewsOfAllSamples) {
  Sampler sampler = sampler_for(world, clock);
  Rounds rounds(measured(), sampler);
  rounds.begin(0, schedule(Seconds(1e6)));
  std::vector<std::vector<double>> by_rank(static_cast<std::size_t>(world.size()), std::vector<double>(8));
  while (const auto slice = rounds.next()) {
    EXPECT_EQ(slice->wrong, 0U);
    if (!world.is_root()) continue;
    ASSERT_EQ(slice->views.size(), by_rank.size());
    for (const RankView& view : slice->views) {
      for (std::size_t i = 0; i < slice->samples.size(); ++i) {
        by_rank[static_cast<std::size_t>(view.rank)][slice->samples[i].slot] = view.times[i];
      }
    }
  }
  EXPECT_TRUE(rounds.is_whole());
  const RoundResult round = rounds.finish();
  if (!world.is_root()) return;
  for (std::size_t slot = 0; slot < 8; ++slot) {
    EXPECT_GT(round.times[slot], 0.0);
    EXPECT_GE(round.times[slot], round.decisive[slot]);
    EXPECT_GE(round.skews[slot], 0.0);
  }
  // The slowest rank of a ring decides, each with its faster way to exchange.
  for (std::size_t repeat = 0; repeat < 3; ++repeat) {
    double slowest = 0.0;
    double decisive = 0.0;
    for (const auto& times : by_rank) {
      slowest = std::max(slowest, times[2 + repeat]);
      decisive = std::max(decisive, std::min(times[2 + repeat], times[5 + repeat]));
    }
    EXPECT_EQ(round.times[2 + repeat], slowest);
    EXPECT_EQ(round.decisive[2 + repeat], decisive);
  }
  const auto& client = by_rank[static_cast<std::size_t>(routes.pairs[0].client)];
  EXPECT_EQ(round.times[0], client[0]) << "the client's time counts, not the server's";
}

TEST_F(RoundTests, LeaveOutWhatDoesNotEndInTimeOnAllRanksAlike) {
  Sampler sampler = sampler_for(world, clock);
  Rounds rounds(measured(), sampler);
  rounds.begin(0, schedule(Seconds(0.0)));
  EXPECT_TRUE(rounds.next()) << "the first sample of all";
  EXPECT_FALSE(rounds.next());
  EXPECT_FALSE(rounds.is_whole());
  const RoundResult round = rounds.finish();
  if (!world.is_root()) return;
  EXPECT_EQ(std::ranges::count_if(round.decisive, [](double time) { return !std::isnan(time); }), 1);
}

TEST_F(RoundTests, EndOnEveryRankWhereOneIsToldToStop) {
  Sampler sampler = sampler_for(world, clock);
  cancelled = world.rank() == world.size() - 1;
  Rounds rounds(measured(), sampler);
  rounds.begin(0, schedule(Seconds(1e6)));
  EXPECT_FALSE(rounds.next());
  EXPECT_TRUE(rounds.is_cancelled());
  EXPECT_FALSE(rounds.is_whole());
}

TEST(SampledRanks, AreSpreadEvenlyWithTheFirstAndTheLast) {
  EXPECT_EQ(sampled_ranks(3, 4), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(sampled_ranks(101, 3), (std::vector<int>{0, 50, 100}));
  EXPECT_EQ(sampled_ranks(100'000, 32).size(), 32U);
}

/// The registered benchmark in a suite with a budget.
class SuiteRun {
 public:
  explicit SuiteRun(Seconds budget) {
    plan.effort = {.repetitions = 2, .budget = budget};
    plan.ranks = world.size();
  }

  void run() {
    const Context context{
        {world, clock, cancelled, sink, plan.effort.repetitions, clock.now() + plan.effort.budget}, plan};
    outcome = Benchmarks::find("effective_bandwidth")->run(context).value();
    for (const SummaryEntry& one : outcome.summary) values[one.key] = std::stod(one.value);
  }

  mpi::Communicator world = mpi::Communicator::world();
  SystemClock clock;
  std::atomic<bool> cancelled = false;
  Plan plan;
  CollectingSink sink;
  Outcome outcome;
  std::map<std::string, double> values;
};

bool has_warning(const Outcome& outcome, std::string_view code) {
  return std::ranges::find(outcome.warnings, code, &Error::code) != outcome.warnings.end();
}

/// On the network that there is: ranks that share cores are slow. Run once for all tests.
class EffectiveBandwidth : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    SuiteRun one(Seconds(120.0));
    one.plan.network = measure_network(one.world, one.clock, 1);
    one.run();
    plan = one.plan;
    sink = one.sink;
    outcome = one.outcome;
    values = one.values;
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

TEST_F(EffectiveBandwidth, TellsEverySampleOfEverySlice) {
  if (!world.is_root() || world.size() == 1) return;
  ASSERT_EQ(sink.labels.size(), sink.values.size());
  EXPECT_GE(sink.rounds.size(), 1U);
  std::map<std::string, int> series;
  for (std::size_t i = 0; i < sink.labels.size(); ++i) {
    EXPECT_TRUE(!sink.values[i].empty() || sink.ended == EndReason::kBudget) << sink.labels[i];
    for (const std::string name :
         {"time", "rank_time", "warm_up", "start_skew", "clock_offset", "fixed_work"}) {
      if (sink.labels[i].find("\"series\":\"" + name + "\"") != std::string::npos) ++series[name];
    }
  }
  EXPECT_EQ(series.size(), 6U);
  EXPECT_GE(series["time"], series["warm_up"]);
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

/// A network so slow that not even the first long message is expected to end in time.
TEST(EffectiveBandwidthInASlowNetwork, KeepsShortMessagesAndWarnsOfWhatIsMissing) {
  SuiteRun run(Seconds(15.0));
  if (run.world.size() == 1) GTEST_SKIP() << "a rank sends nothing to itself";
  run.plan.network.is_measured = true;
  for (MessageTime* time : {&run.plan.network.pair, &run.plan.network.ring, &run.plan.network.random_ring}) {
    time->seconds_per_byte = 1e-3;
  }
  run.run();
  if (!run.world.is_root()) return;
  EXPECT_GT(run.values["AvgPingPongLatency_usec"], 0.0);
  EXPECT_GT(run.values["NaturallyOrderedRingLatency_usec"], 0.0);
  EXPECT_EQ(run.values["AvgPingPongBandwidth_GBytes"], -1.0);
  EXPECT_EQ(run.values["RandomlyOrderedRingBandwidth_GBytes"], -1.0);
  EXPECT_EQ(run.sink.ended, EndReason::kBudget);
  EXPECT_TRUE(has_warning(run.outcome, "effective_bandwidth.cut"));
  EXPECT_NE(run.outcome.report.find("random rings of 2000000 bytes: 0 of 10 rings"), std::string::npos)
      << run.outcome.report;
}

/// Stops its rank as soon as something was kept.
class StoppingSink final : public SampleSink {
 public:
  explicit StoppingSink(std::atomic<bool>& cancelled) : cancelled_(cancelled) {}
  void begin(const std::vector<Case>& cases) override { kept.begin(cases); }
  void sample(std::size_t which, std::uint32_t round, double value) override {
    kept.sample(which, round, value);
  }
  void round(const RoundReport& report) override {
    kept.round(report);
    cancelled_ = true;
  }
  void end(EndReason how) override { kept.end(how); }

  CollectingSink kept;

 private:
  std::atomic<bool>& cancelled_;
};

TEST(EffectiveBandwidthWhenInterrupted, KeepsTheSamplesOfThePartialRound) {
  SuiteRun run(Seconds(60.0));
  if (run.world.size() == 1) GTEST_SKIP() << "a rank sends nothing to itself";
  StoppingSink sink(run.cancelled);
  const Context context{{run.world, run.clock, run.cancelled, sink, 2, run.clock.now() + Seconds(60.0)},
                        run.plan};
  const auto outcome = Benchmarks::find("effective_bandwidth")->run(context);
  ASSERT_TRUE(outcome);
  if (!run.world.is_root()) return;
  EXPECT_EQ(sink.kept.ended, EndReason::kInterrupted);
  std::size_t samples = 0;
  for (const auto& values : sink.kept.values) samples += values.size();
  EXPECT_GT(samples, 10U);
  EXPECT_FALSE(has_warning(outcome.value(), "effective_bandwidth.cut")) << "the user did not run out of time";
}

}  // namespace
}  // namespace groma::hpcc
