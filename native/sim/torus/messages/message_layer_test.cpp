#include "sim/torus/messages/message_layer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "testing/one_thread.hpp"

namespace groma::sim::torus {
namespace {

constexpr Cycles kPacket = 1080;  // on a link of 0.25 bytes for each cycle: 256 bytes and 14 more
constexpr std::uint64_t kPayload = 240;

Shape torus(std::vector<std::uint32_t> extents) {
  const std::vector<bool> closed(extents.size(), true);
  return Shape::make(std::move(extents), closed).value();
}

struct Ran {
  MessageLayer layer;
  Outcome outcome;
};

Ran run(std::vector<Program> programs, LayerSettings settings = {}, std::size_t threads = 1,
        std::vector<std::uint32_t> extents = {8}, const Network& network = {}) {
  const Shape shape = torus(std::move(extents));
  Ran ran{MessageLayer(settings, std::move(programs), shape), {}};
  RunOptions options;
  options.threads = threads;
  ran.outcome = simulate(shape, network, ran.layer, options).value();
  return ran;
}

TEST(MessageLayer, SendsAMessageInTheTimeOfItsPackets) {
  std::vector<Program> programs(2);
  programs[0].send(1, 10 * kPayload);
  programs[1].receive(0);
  for (Program& program : programs) program.wait_all();
  LayerSettings eager;
  eager.rendezvous = 1U << 20U;
  const Ran ran = run(std::move(programs), eager);
  EXPECT_TRUE(ran.layer.is_complete());
  EXPECT_EQ(ran.layer.finished_at(1), (10 * kPacket) + 64);
  EXPECT_EQ(ran.layer.bytes_received(1), 10 * kPayload);
  EXPECT_EQ(ran.outcome.end.tally.injected, 10U);
}

TEST(MessageLayer, CostsTheProcessorsWhatThePlanSays) {
  std::vector<Program> programs(2);
  programs[0].send(1, 10 * kPayload);
  programs[1].receive(0);
  for (Program& program : programs) program.wait_all();
  LayerSettings settings;
  settings.rendezvous = 1U << 20U;
  settings.costs.receive_each = 3000;
  settings.call = 500;
  const Ran ran = run(std::move(programs), settings);
  EXPECT_EQ(ran.layer.finished_at(1), 500 + kPacket + 64 + (10 * 3000));
}

/// LogGP (Alexandrov et al. 1995): o + (bytes - 1) G + L + o.
TEST(MessageLayer, CostsEachEndOfAMessageTheSameHoweverManyPacketsItHas) {
  for (const Cycles packets : {1, 10}) {
    std::vector<Program> programs(2);
    programs[0].send(1, static_cast<std::uint64_t>(packets) * kPayload);
    programs[1].receive(0);
    for (Program& program : programs) program.wait_all();
    LayerSettings settings;
    settings.rendezvous = 1U << 20U;
    settings.message = 5000;
    const Ran ran = run(std::move(programs), settings);
    EXPECT_EQ(ran.layer.finished_at(1), 5000 + (packets * kPacket) + 64 + 5000);
  }
}

TEST(MessageLayer, SendsAMessageBeforeTheCostOfTheNextOneIsSpent) {
  std::vector<Program> programs(8);
  for (const Rank to : {1U, 7U}) {
    programs[0].send(to, kPayload);
    programs[to].receive(0);
  }
  for (Program& program : programs) program.wait_all();
  LayerSettings settings;
  settings.message = 5000;
  const Ran ran = run(std::move(programs), settings);
  EXPECT_EQ(ran.layer.finished_at(1), 5000 + kPacket + 64 + 5000);
  EXPECT_EQ(ran.layer.finished_at(7), 10000 + kPacket + 64 + 5000);
}

TEST(MessageLayer, CostsRanksOfANodeNoMessageBetweenNodes) {
  std::vector<Program> programs(2);
  programs[0].send(1, kPayload);
  programs[1].receive(0);
  for (Program& program : programs) program.wait_all();
  LayerSettings settings;
  settings.cores = 2;
  settings.message = 5000;
  EXPECT_EQ(run(std::move(programs), settings).layer.finished_at(1), 0);
}

TEST(MessageLayer, SendsAPacketWhenItsCostHasBeenSpent) {
  std::vector<Program> programs(2);
  programs[0].send(1, 3 * kPayload);
  programs[1].receive(0);
  for (Program& program : programs) program.wait_all();
  LayerSettings settings;
  settings.rendezvous = 1U << 20U;
  settings.costs.send = 5000;
  const Ran ran = run(std::move(programs), settings);
  EXPECT_EQ(ran.layer.finished_at(0), 3 * 5000);
  EXPECT_EQ(ran.layer.finished_at(1), (3 * 5000) + kPacket + 64);
}

TEST(MessageLayer, HasNoTimeAtWhichAllRanksFinishedWhileOneHasNot) {
  std::vector<Program> programs(2);
  programs[0].wait(programs[0].send(1, 10 * kPayload));
  programs[1].wait(programs[1].receive(0));
  programs[1].wait(programs[1].receive(0));
  LayerSettings settings;
  settings.rendezvous = 1U << 20U;
  const Ran ran = run(std::move(programs), settings);
  JsonObject result;
  ran.layer.report(ran.outcome, result);
  const std::string text = result.json().text();
  EXPECT_EQ(text.find("finished_at"), std::string::npos);
  const double rate = 10.0 * kPayload / static_cast<double>(ran.outcome.end.time);
  EXPECT_NE(text.find("\"bytes_per_cycle\":" + Json(rate).text()), std::string::npos) << text;
}

/// Packets with nothing in them, not even a header, still occupy a link.
TEST(MessageLayer, SendsControlPacketsWithoutHeaders) {
  std::vector<Program> programs(2);
  programs[0].wait(programs[0].send(1, 0));
  programs[1].wait(programs[1].receive(0));
  const Shape shape = torus({4});
  MessageLayer layer(LayerSettings{}, std::move(programs), shape);
  Network network;
  network.packet_header = 0;
  network.adaptive_channels = 0;
  const auto outcome = simulate(shape, network, layer, RunOptions{});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(outcome.value().tokens_out, 0);
}

TEST(MessageLayer, SendsEagerlyButWaitsForTheReceiverOfALongMessage) {
  for (const bool eager : {true, false}) {
    std::vector<Program> programs(2);
    programs[0].wait(programs[0].send(1, 1000));
    programs[1].compute(1e6);
    programs[1].wait(programs[1].receive(0));
    LayerSettings settings;
    settings.rendezvous = eager ? 1000 : 999;
    const Ran ran = run(std::move(programs), settings);
    EXPECT_TRUE(ran.layer.is_complete());
    EXPECT_EQ(ran.layer.finished_at(0) < 1'000'000, eager);
    EXPECT_GE(ran.layer.finished_at(1), 1'000'000);
  }
}

/// Of two messages the first one is complete half way with FIFO, and only near the end when they overlap.
TEST(MessageLayer, CompletesTheFirstOfTwoMessagesEarlierWithFifo) {
  std::vector<Cycles> first;
  std::vector<Cycles> last;
  for (const Policy policy : {Policy::kFifo, Policy::kOverlapping}) {
    std::vector<Program> programs(4);
    programs[0].send(1, 100 * kPayload, 1);
    programs[0].send(1, 100 * kPayload, 2);
    programs[1].wait(programs[1].receive(0, 1));
    programs[1].wait(programs[1].send(2, 1));  // tells of the first message
    programs[1].wait(programs[1].receive(0, 2));
    programs[2].wait(programs[2].receive(1));
    LayerSettings settings;
    settings.policy = policy;
    settings.rendezvous = 1U << 30U;
    const Ran ran = run(std::move(programs), settings);
    first.push_back(ran.layer.finished_at(2));
    last.push_back(ran.layer.finished_at(1));
  }
  EXPECT_NEAR(static_cast<double>(first[0]), 100.0 * kPacket, 3 * kPacket);
  EXPECT_NEAR(static_cast<double>(first[1]), 200.0 * kPacket, 4 * kPacket);
  EXPECT_NEAR(static_cast<double>(last[0]), static_cast<double>(last[1]), 2 * kPacket);
}

/// When rank 1 has the message with this tag, in messages. It asks for those with the tags 1 to 4 from the
/// last to the first, so that rank 0 may send the last one first, and then has leave to send all others.
double arrival_of(std::int32_t tag) {
  constexpr std::uint64_t kPackets = 100;
  std::vector<Program> programs(2);
  for (const std::int32_t one : {1, 2, 3, 4}) programs[0].send(1, kPackets * kPayload, one);
  programs[0].send(1, 0, 5);
  programs[0].wait_all();
  RequestId wanted = 0;
  programs[1].wait(programs[1].receive(0, 5));  // by then all are announced
  for (const std::int32_t one : {4, 3, 2, 1}) {
    const RequestId request = programs[1].receive(0, one);
    if (one == tag) wanted = request;
  }
  programs[1].wait(wanted);
  const Ran ran = run(std::move(programs));
  return static_cast<double>(ran.layer.finished_at(1)) / static_cast<double>(kPackets * kPacket);
}

TEST(MessageLayer, GoesOnWithTheFirstOfTheMessagesThatMayGo) {
  const std::vector<double> in_order{arrival_of(4), arrival_of(1), arrival_of(2), arrival_of(3)};
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    EXPECT_NEAR(in_order[i], static_cast<double>(i + 1), 0.2);
  }
}

/// Packets of later messages overtake on other ways; receives must see the messages in the order of their
/// sends.
TEST_ON_ONE_THREAD(MessageLayer, MatchesMessagesInTheOrderOfTheirSends) {
  constexpr std::uint32_t kMessages = 200;
  std::vector<Program> programs(64);
  for (Rank rank = 0; rank < 64; ++rank) {
    const Rank to = (rank + 27) % 64;
    const Rank from = (rank + 37) % 64;
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      programs[rank].send(to, 1 + (i * 7 % 500));
      programs[rank].receive(i % 2 == 0 ? from : kAnyRank, i % 3 == 0 ? kAnyTag : 0);
    }
    programs[rank].wait_all();
  }
  LayerSettings settings;
  settings.costs.receive_each = 100;
  const Ran ran = run(std::move(programs), settings, 1, {4, 4, 4});
  EXPECT_TRUE(ran.layer.is_complete());
  EXPECT_GT(ran.layer.out_of_order(), 0U);
  EXPECT_EQ(ran.outcome.tokens_out, 0);
}

/// Random programs in which what is sent is received: tags in any order, eager and announced, early and late.
TEST_ON_ONE_THREAD(MessageLayer, CompletesRandomProgramsWithEveryByte) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed);
    constexpr Rank kRanks = 12;
    std::vector<Program> programs(kRanks);
    std::vector<std::uint64_t> bytes(kRanks);
    for (int i = 0; i < 200; ++i) {
      const auto from = static_cast<Rank>(random.below(kRanks));
      const auto to = static_cast<Rank>(random.below(kRanks));
      const auto tag = static_cast<std::int32_t>(random.below(3));
      const std::uint64_t size = random.below(random.below(2) == 0 ? 600 : 6000);
      programs[from].send(to, size, tag);
      programs[to].receive(from, tag);
      bytes[to] += size;
      if (random.below(4) == 0) programs[from].compute(static_cast<double>(random.below(20000)));
    }
    for (Program& program : programs) program.wait_all();
    LayerSettings settings;
    settings.policy = seed % 2 == 0 ? Policy::kFifo : Policy::kOverlapping;
    settings.polling = static_cast<Polling>(seed % 3);
    settings.rendezvous = 1000;
    settings.cores = 1 + static_cast<std::uint32_t>(seed % 4);
    settings.max_fifo_sets = 1 + static_cast<std::uint32_t>(seed % 3);
    settings.costs = {100.5, 50, 80, 4};
    settings.seed = seed;
    const Ran ran = run(std::move(programs), settings, 1, {3, 2, 2});
    EXPECT_TRUE(ran.layer.is_complete()) << seed;
    for (Rank rank = 0; rank < kRanks; ++rank) EXPECT_EQ(ran.layer.bytes_received(rank), bytes[rank]) << seed;
    EXPECT_EQ(ran.outcome.tokens_out, 0);
  }
}

/// Messages of mixed sizes between all ranks of some distances, which fill the network.
std::vector<Cycles> finish_times(const std::vector<std::uint32_t>& extents, Rank ranks, std::uint64_t seed,
                                 std::size_t threads) {
  RandomStream random(seed);
  std::vector<Program> programs(ranks);
  for (int i = 0; i < 25; ++i) {
    const auto distance = static_cast<Rank>(1 + random.below(ranks - 1));
    const std::uint64_t bytes = random.below(3000);
    for (Rank rank = 0; rank < ranks; ++rank) {
      programs[rank].receive((rank + ranks - distance) % ranks);
      programs[rank].send((rank + distance) % ranks, bytes);
    }
  }
  for (Program& program : programs) program.wait_all();
  LayerSettings settings;
  settings.costs = {50.5, 0, 75.25, 1};
  settings.seed = seed;
  settings.max_fifo_sets = 1;
  settings.cores = ranks / torus(extents).nodes();
  const Ran ran = run(std::move(programs), settings, threads, extents);
  EXPECT_TRUE(ran.layer.is_complete());
  std::vector<Cycles> times;
  for (Rank rank = 0; rank < ranks; ++rank) times.push_back(ran.layer.finished_at(rank));
  return times;
}

TEST(MessageLayer, IsTheSameWithTwoThreads) {
  for (std::uint64_t seed = 1; seed <= rounds(4U, 1U); ++seed) {
    const Rank ranks = seed % 2 == 0 ? 150 : 300;  // one on each node, or two that share FIFOs
    EXPECT_EQ(finish_times({5, 5, 3, 2}, ranks, seed, 1), finish_times({5, 5, 3, 2}, ranks, seed, 2)) << seed;
  }
}

/// Two ranks of a node whose FIFO has a single place: each gets every second packet, and neither finds its
/// place taken.
TEST(MessageLayer, LetsRanksThatShareAFifoTakeTurns) {
  constexpr Cycles kPackets = 50;
  std::vector<Program> programs(4);
  for (const Rank from : {0U, 1U}) {
    programs[from].send(from + 2, kPackets * kPayload);
    programs[from + 2].receive(from);
  }
  for (Program& program : programs) program.wait_all();
  LayerSettings settings;
  settings.rendezvous = 1U << 20U;
  settings.cores = 2;
  settings.max_fifo_sets = 1;
  settings.costs.send = 100;
  Network network;
  network.injection_packets = 1;
  const Ran ran = run(std::move(programs), settings, 1, {8}, network);
  const Cycles each = kPacket + 100;  // the place is free when the packet has left; the next one costs 100
  EXPECT_EQ(ran.layer.finished_at(3), (2 * kPackets * each) + 64);
  EXPECT_EQ(ran.layer.finished_at(2), (((2 * kPackets) - 1) * each) + 64);
}

/// The rank whose turn it is computes: the other one need not wait for it.
TEST(MessageLayer, LeavesATurnToARankThatIsFree) {
  std::vector<Program> programs(4);
  programs[0].send(2, kPayload);
  programs[0].compute(1e6);
  programs[0].send(2, kPayload);
  programs[1].send(3, 10 * kPayload);
  for (int message = 0; message < 2; ++message) programs[2].receive(0);
  programs[3].receive(1);
  for (Program& program : programs) program.wait_all();
  LayerSettings settings;
  settings.rendezvous = 1U << 20U;
  settings.cores = 2;
  settings.max_fifo_sets = 1;
  const Ran ran = run(std::move(programs), settings);
  EXPECT_TRUE(ran.layer.is_complete());
  EXPECT_LT(ran.layer.finished_at(3), 12 * kPacket);
}

TEST(MessageLayer, CopiesBetweenRanksOfANode) {
  std::vector<Program> programs(2);
  programs[0].wait(programs[0].send(1, 4000));
  programs[1].wait(programs[1].receive(0));
  LayerSettings settings;
  settings.cores = 2;
  settings.copy = 0.5;
  const Ran ran = run(std::move(programs), settings);
  EXPECT_EQ(ran.layer.finished_at(1), 2000);
  EXPECT_EQ(ran.outcome.end.tally.injected, 0U);
}

TEST(MessageLayer, SaysWhichRanksWaitForEachOther) {
  std::vector<Program> programs(4);
  programs[0].wait(programs[0].receive(1));
  programs[1].wait(programs[1].receive(2));
  programs[2].wait(programs[2].send(0, 1U << 20U));  // announced; rank 0 waits for another message
  programs[3].receive(0);
  const Ran ran = run(std::move(programs));
  EXPECT_FALSE(ran.layer.is_complete());
  EXPECT_EQ(find_cycle(ran.layer.blocked()), (std::vector<Rank>{0, 1, 2}));
  EXPECT_EQ(ran.layer.blocked().size(), 3U);  // rank 3 never waits
}

}  // namespace
}  // namespace groma::sim::torus
