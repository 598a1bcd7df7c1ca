#include "sim/torus/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <new>
#include <vector>

#include "base/random.hpp"
#include "sim/torus/worker.hpp"
#include "testing/one_thread.hpp"

namespace groma::sim::torus {
namespace {

Shape torus(std::vector<std::uint32_t> extents) {
  const std::vector<bool> closed(extents.size(), true);
  return Shape::make(std::move(extents), closed).value();
}

std::uint32_t length(const Hops& hops) {
  std::uint32_t sum = 0;
  for (const std::int16_t hop : hops) sum += static_cast<std::uint32_t>(std::abs(hop));
  return sum;
}

/// A packet that a node sends.
struct Letter {
  Cycles at = 0;
  Node to = 0;
  std::uint32_t payload = 240;
};

struct Receipt {
  Cycles at = 0;
  Node from = 0;
  std::uint32_t number = 0;  ///< of the sender's letters

  friend auto operator<=>(const Receipt&, const Receipt&) = default;
};

/// Each node sends its letters in order, as soon as their time has come and there is room.
class Post : public Processors {
 public:
  explicit Post(Node nodes, bool receives = true)
      : letters(nodes), receipts(nodes), sent_(nodes), receives_(receives) {}

  [[nodiscard]] Demands demands() const override { return {1, 1, sizeof(std::uint64_t)}; }
  void start(Adapter& node) override { send_due(node); }
  void wake(Adapter& node) override { send_due(node); }
  void injected(Adapter& node, std::uint32_t /*fifo*/) override { send_due(node); }
  void received(Adapter& node, std::uint32_t fifo) override {
    if (!receives_) return;
    const PacketId id = node.receive(fifo);
    const std::uint64_t name = *node.payload<std::uint64_t>(id);
    receipts[node.node()].push_back(
        {node.now(), static_cast<Node>(name >> 32U), static_cast<std::uint32_t>(name)});
    node.give_back(id);
    node.free_place(fifo);
  }

  std::vector<std::vector<Letter>> letters;
  std::vector<std::vector<Receipt>> receipts;

 private:
  void send_due(Adapter& node) {
    std::size_t& next = sent_[node.node()];
    const std::vector<Letter>& mine = letters[node.node()];
    while (next < mine.size() && mine[next].at <= node.now() && node.may_inject(0)) {
      const PacketId id = node.take_packet();
      Packet& packet = node.packet(id);
      packet.hops = node.shape().hops(node.node(), mine[next].to, static_cast<std::uint32_t>(next));
      packet.steps = static_cast<std::uint8_t>(node.network().steps_of(mine[next].payload));
      packet.reception = 0;
      packet.routing = node.network().routing;
      *node.payload<std::uint64_t>(id) = (std::uint64_t{node.node()} << 32U) | next;
      ++next;
      node.inject(0, id);
    }
    const bool waits = next < mine.size() && mine[next].at > node.now();
    node.wake_at(waits ? mine[next].at : kNever);
  }

  std::vector<std::size_t> sent_;
  bool receives_;
};

void write_randomly(Post& post, const Shape& shape, std::size_t each, std::uint64_t seed) {
  for (Node node = 0; node < shape.nodes(); ++node) {
    RandomStream random = RandomStream(seed).fork(node);
    for (std::size_t i = 0; i < each; ++i) {
      post.letters[node].push_back(
          {0, static_cast<Node>(random.below(shape.nodes())), static_cast<std::uint32_t>(random.below(241))});
    }
  }
}

Outcome run(const Shape& shape, const Network& network, Processors& processors, std::size_t threads = 1) {
  RunOptions options;
  options.threads = threads;
  return simulate(shape, network, processors, options).value();
}

Network blue_gene(Routing routing) {
  Network network;
  network.routing = routing;
  return network;
}

TEST_ON_ONE_THREAD(Engine, TakesOnePacketAcrossTheNetworkInItsClosedFormTime) {
  const Shape shape = torus({5, 4, 2});
  for (const Routing routing : {Routing::kAdaptive, Routing::kDeterministic}) {
    for (const Cycles hop : {1, 7, 64, 300}) {
      for (Node to = 0; to < shape.nodes(); ++to) {
        Network network = blue_gene(routing);
        network.hop_latency = hop;
        Post post(shape.nodes());
        post.letters[0].push_back({1000, to, 100});
        const Outcome outcome = run(shape, network, post);
        ASSERT_EQ(post.receipts[to].size(), 1U);
        const auto hops = static_cast<Cycles>(length(shape.hops(0, to, 0)));
        EXPECT_EQ(post.receipts[to][0].at, 1000 + (hops * hop) + network.wire_time(network.steps_of(100)));
        EXPECT_EQ(outcome.end.time, post.receipts[to][0].at) << "no end of a window";
      }
    }
  }
}

TEST(Engine, SendsPacketsOfOneWayAtTheRateOfTheLink) {
  const Shape shape = torus({8});
  Post post(shape.nodes());
  post.letters[0].assign(50, {0, 3, 240});
  const Network network = blue_gene(Routing::kDeterministic);
  const Outcome outcome = run(shape, network, post);
  ASSERT_EQ(post.receipts[3].size(), 50U);
  for (std::uint32_t i = 0; i < 50; ++i) {
    EXPECT_EQ(post.receipts[3][i].at, (3 * network.hop_latency) + ((i + 1) * network.wire_time(8)));
  }
  EXPECT_EQ(outcome.links[0].busy, 50 * network.wire_time(8));
  EXPECT_EQ(outcome.links[0].packets, 50U);
  EXPECT_EQ(outcome.links[1].busy, 0);
}

/// Two FIFOs whose packets want the same link at time 0: the second packet follows the first.
TEST_ON_ONE_THREAD(Engine, SendsWhatWaitsForALinkFromTheBegin) {
  struct TwoFifos : Processors {
    [[nodiscard]] Demands demands() const override { return {2, 1, 0}; }
    void start(Adapter& node) override {
      for (std::uint32_t fifo = 0; node.node() == 0 && fifo < 2; ++fifo) {
        const PacketId id = node.take_packet();
        Packet& packet = node.packet(id);
        packet.hops = node.shape().hops(0, 1, 0);
        packet.steps = 8;
        packet.reception = 0;
        packet.routing = node.network().routing;
        node.inject(fifo, id);
      }
    }
    void wake(Adapter& /*node*/) override {}
    void injected(Adapter& /*node*/, std::uint32_t /*fifo*/) override {}
    void received(Adapter& node, std::uint32_t fifo) override {
      node.give_back(node.receive(fifo));
      times.push_back(node.now());
      node.free_place(fifo);
    }
    std::vector<Cycles> times;
  };
  TwoFifos nodes;
  const Network network = blue_gene(Routing::kDeterministic);
  run(torus({8}), network, nodes);
  const Cycles first = network.hop_latency + network.wire_time(8);
  EXPECT_EQ(nodes.times, (std::vector<Cycles>{first, first + network.wire_time(8)}));
}

/// Thousands fit into a hop of such a network.
TEST_ON_ONE_THREAD(Engine, HoldsAllPacketsThatArriveAtOnce) {
  for (const auto& [channel_bytes, payload] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1024, 16}, {8192, 16}, {8192, 240}, {900'000, 16}, {900'000, 240}}) {
    for (const Routing routing : {Routing::kAdaptive, Routing::kDeterministic}) {
      Network network = blue_gene(routing);
      network.bytes_per_cycle = 1000.0;
      network.hop_latency = 65536;
      network.channel_bytes = channel_bytes;
      const Shape shape = torus({4, 4});
      Post post(shape.nodes());
      for (Node node = 0; node < shape.nodes(); ++node)
        post.letters[node].assign(4000, {0, (node + 1) % shape.nodes(), payload});
      const Outcome outcome = run(shape, network, post);
      EXPECT_EQ(outcome.ending, Ending::kDone);
      EXPECT_EQ(outcome.tokens_out, 0);
      for (const auto& receipts : post.receipts) EXPECT_EQ(receipts.size(), 4000U);
    }
  }
}

TEST_ON_ONE_THREAD(Engine, DeliversEachPacketOnceAndReturnsItsTokens) {
  for (const Routing routing : {Routing::kAdaptive, Routing::kDeterministic}) {
    for (const Shape& shape : {torus({4, 4, 4}), torus({2, 3, 1, 5}), torus({3, 2, 2, 2, 3}), torus({17}),
                               Shape::make({4, 5, 3}, {false, true, false}).value()}) {
      Post post(shape.nodes());
      write_randomly(post, shape, 60, 11);
      const Outcome outcome = run(shape, blue_gene(routing), post);
      EXPECT_EQ(outcome.ending, Ending::kDone);
      EXPECT_EQ(outcome.tokens_out, 0);
      std::map<std::pair<Node, std::uint32_t>, Node> arrived;
      for (Node node = 0; node < shape.nodes(); ++node) {
        for (const Receipt& receipt : post.receipts[node]) {
          EXPECT_TRUE(arrived.emplace(std::pair(receipt.from, receipt.number), node).second);
        }
      }
      ASSERT_EQ(arrived.size(), shape.nodes() * 60U);
      for (const auto& [name, node] : arrived) EXPECT_EQ(post.letters[name.first][name.second].to, node);
    }
  }
}

/// Hops of three and more of the longest windows included: what arrives must not be taken for older arrivals.
TEST(Engine, TakesNoPacketFasterThanItsHops) {
  for (const Shape& shape : {torus({4, 3, 2}), torus({12})}) {
    for (const Cycles hop : {1, 3, 64, 65535, 65536, 98303, 98305, 100000, 300000}) {
      for (const std::size_t threads : {1U, 2U}) {
        Post post(shape.nodes());
        write_randomly(post, shape, rounds(300, 20), 31);
        Network network = blue_gene(Routing::kAdaptive);
        network.hop_latency = hop;
        const Outcome outcome = run(shape, network, post, threads);
        EXPECT_EQ(outcome.ending, Ending::kDone);
        EXPECT_EQ(outcome.tokens_out, 0);
        for (Node node = 0; node < shape.nodes(); ++node) {
          for (const Receipt& receipt : post.receipts[node]) {
            const auto hops = static_cast<Cycles>(length(shape.hops(receipt.from, node, 0)));
            const std::uint32_t payload = post.letters[receipt.from][receipt.number].payload;
            ASSERT_GE(receipt.at, (hops * hop) + network.wire_time(network.steps_of(payload))) << hop;
          }
        }
      }
    }
  }
}

TEST(Engine, KeepsTheOrderOfDeterministicPackets) {
  const Shape shape = torus({5, 3, 3});  // no two ways are equally long
  Post post(shape.nodes());
  write_randomly(post, shape, 200, 8);
  run(shape, blue_gene(Routing::kDeterministic), post);
  for (Node node = 0; node < shape.nodes(); ++node) {
    std::map<Node, std::uint32_t> next;  // letter of each sender
    for (const Receipt& receipt : post.receipts[node]) {
      EXPECT_GE(receipt.number, next[receipt.from]);
      next[receipt.from] = receipt.number + 1;
    }
  }
}

TEST(Engine, GivesTheSameResultWithAnyNumberOfThreads) {
  const Shape shape = torus({8, 6, 8});
  std::vector<std::vector<std::vector<Receipt>>> results;
  for (const std::size_t threads : {1U, 2U, 3U, 6U}) {
    Post post(shape.nodes());
    write_randomly(post, shape, rounds(20, 10), 5);
    Network network = blue_gene(Routing::kAdaptive);
    network.channel_bytes = 512;
    network.reception_packets = 2;
    run(shape, network, post, threads);
    results.push_back(post.receipts);
  }
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

/// Nodes that rest for longer than tokens are kept must not take tokens of windows to come.
TEST(Engine, GivesTheSameResultWithAnyNumberOfThreadsWhenNodesRest) {
  const Shape shape = torus({8, 4, 8});
  std::vector<std::vector<std::vector<Receipt>>> results;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    Post post(shape.nodes());
    RandomStream random(17);
    for (Node node = 0; node < shape.nodes(); ++node) {
      Cycles at = 0;
      for (int burst = 0; burst < rounds(10, 2); ++burst) {
        at += static_cast<Cycles>(random.below(20000));
        const auto to = static_cast<Node>(random.below(shape.nodes()));
        for (int i = 0; i < 12; ++i) post.letters[node].push_back({at, to, 240});
      }
    }
    Network network = blue_gene(Routing::kDeterministic);
    network.channel_bytes = 512;
    const Outcome outcome = run(shape, network, post, threads);
    EXPECT_EQ(outcome.tokens_out, 0);
    results.push_back(post.receipts);
  }
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(Engine, GivesTheSameResultWhetherOrNotItLoadsLinesAhead) {
  const Shape mesh = Shape::make({8, 4, 4}, {false, true, false}).value();
  for (const Shape& shape : {torus({8, 4, 4}), mesh}) {
    for (const Routing routing : {Routing::kAdaptive, Routing::kDeterministic}) {
      std::vector<std::vector<std::vector<Receipt>>> results;
      for (const std::size_t cached : {std::size_t{0}, RunOptions{}.cached_bytes}) {
        for (const std::size_t threads : {1U, 2U}) {
          Post post(shape.nodes());
          write_randomly(post, shape, rounds(40, 10), 7);
          RunOptions options;
          options.threads = threads;
          options.cached_bytes = cached;
          ASSERT_EQ(simulate(shape, blue_gene(routing), post, options).value().tokens_out, 0);
          results.push_back(post.receipts);
        }
      }
      for (const auto& result : results) EXPECT_EQ(result, results.front());
    }
  }
}

/// Letters at times that are far apart, to and from nodes of all threads.
Post rarely_written(const Shape& shape, Cycles apart) {
  Post post(shape.nodes());
  for (Node node = 0; node < shape.nodes(); node += 37) {
    const Cycles own = 1000 + (node * apart / 7);
    const Node to = (node * 11 + 5) % shape.nodes();
    for (const Cycles at : {own, own + 1, own + apart, own + (3 * apart)})
      post.letters[node].push_back({at, to, 50});
  }
  return post;
}

TEST(Engine, SkipsTimeInWhichNothingHappens) {
  const Shape shape = torus({16, 16});
  for (const std::size_t threads : {1U, 2U, 4U}) {
    Post post = rarely_written(shape, 1'000'000'000'000'000);
    RunOptions options;
    options.threads = threads;
    std::size_t questions = 0;
    options.stop = [&](const Progress&) { return ++questions > 1000; };
    const Outcome outcome = simulate(shape, blue_gene(Routing::kAdaptive), post, options).value();
    EXPECT_EQ(outcome.ending, Ending::kDone);
    for (Node node = 0; node < shape.nodes(); node += 37) {
      const std::vector<Receipt>& receipts = post.receipts[post.letters[node][0].to];
      EXPECT_EQ(std::count_if(receipts.begin(), receipts.end(),
                              [&](const Receipt& one) { return one.from == node; }),
                4);
    }
  }
}

/// A node that wakes in each window lets none be skipped.
TEST(Engine, ChangesNothingByTimeThatItSkips) {
  const Shape shape = torus({16, 16});
  const Network network = blue_gene(Routing::kAdaptive);
  for (const Cycles apart : {500, 5'000}) {
    const Post skipped = rarely_written(shape, apart);
    Post walked = rarely_written(shape, apart);
    const Node idle = 1;  // no multiple of 37
    for (Cycles at = 0; at < 64 * apart; at += network.hop_latency)
      walked.letters[idle].push_back({at, idle, 0});
    for (const std::size_t threads : {1U, 2U}) {
      Post post = skipped;
      run(shape, network, post, threads);
      Post other = walked;
      run(shape, network, other, threads);
      other.receipts[idle] = post.receipts[idle];
      EXPECT_EQ(post.receipts, other.receipts);
    }
  }
}

TEST_ON_ONE_THREAD(Engine, NeverDeadlocksAtFullLoadWithTheLeastBuffers) {
  for (const Routing routing : {Routing::kAdaptive, Routing::kDeterministic}) {
    for (const Shape& shape : {torus({2, 2, 2}), torus({5, 5}), torus({9}), torus({2, 7, 3})}) {
      Post post(shape.nodes());
      write_randomly(post, shape, 400, 23);
      Network network = blue_gene(routing);
      network.channel_bytes = 512;
      network.adaptive_channels = 1;
      network.injection_packets = 1;
      network.reception_packets = 1;
      const Outcome outcome = run(shape, network, post);
      EXPECT_EQ(outcome.ending, Ending::kDone);
      EXPECT_EQ(outcome.end.tally.received, shape.nodes() * 400U);
      EXPECT_EQ(outcome.tokens_out, 0);
    }
  }
}

TEST(Engine, SaysThatPacketsAreStuckThatNobodyReceives) {
  const Shape shape = torus({4, 4});
  Post post(shape.nodes(), /*receives=*/false);
  write_randomly(post, shape, 50, 2);
  Network network = blue_gene(Routing::kAdaptive);
  network.reception_packets = 1;
  EXPECT_EQ(run(shape, network, post).ending, Ending::kStuck);
}

TEST(Engine, CountsTheTimeThatLinksWaitForTokens) {
  const Shape shape = torus({4});
  Post post(shape.nodes(), /*receives=*/false);
  post.letters[0].assign(10, {0, 1, 240});
  Network network = blue_gene(Routing::kDeterministic);
  network.reception_packets = 1;
  const Outcome outcome = run(shape, network, post);
  EXPECT_EQ(outcome.ending, Ending::kStuck);
  EXPECT_EQ(outcome.links[0].packets, 4U);  // one received, three in a channel of four that keeps its bubble
  EXPECT_GT(outcome.links[0].stalled, outcome.end.time - (5 * network.wire_time(8)));
  EXPECT_EQ(outcome.links[1].stalled, 0);
}

/// Has no memory for a packet that comes to one node, or to begin with.
class Exhausted : public Post {
 public:
  Exhausted(Node nodes, Node where, bool begins) : Post(nodes), where_(where), begins_(begins) {}
  void start(Adapter& node) override {
    if (!begins_ && node.node() == where_) throw std::bad_alloc();
    Post::start(node);
  }
  void received(Adapter& node, std::uint32_t fifo) override {
    if (node.node() == where_) throw std::bad_alloc();
    Post::received(node, fifo);
  }

 private:
  Node where_;
  bool begins_;
};

TEST(Engine, EndsWhereAnyThreadLacksMemory) {
  const Shape shape = torus({16, 16});
  for (const Node where : {Node{3}, shape.nodes() - 1}) {
    for (const bool begins : {false, true}) {
      Exhausted post(shape.nodes(), where, begins);
      write_randomly(post, shape, 20, 1);
      EXPECT_THROW(run(shape, Network{}, post, 2), std::bad_alloc) << where << begins;
    }
  }
}

TEST(Engine, StopsWhenItIsAskedTo) {
  const Shape shape = torus({4, 4});
  Post post(shape.nodes());
  write_randomly(post, shape, 2000, 2);
  RunOptions options;
  options.stop = [](const Progress& progress) { return progress.time > 10000; };
  const Outcome outcome = simulate(shape, blue_gene(Routing::kAdaptive), post, options).value();
  EXPECT_EQ(outcome.ending, Ending::kStopped);
  EXPECT_LT(outcome.end.tally.received, 16U * 2000U);
  EXPECT_GT(outcome.tokens_out, 0);
}

TEST(Engine, RefusesMoreQueuesThanARouterHas) {
  struct Many : Post {
    using Post::Post;
    [[nodiscard]] Demands demands() const override { return {60, 1, 8}; }
  };
  Many many(8);
  EXPECT_FALSE(simulate(torus({8}), blue_gene(Routing::kAdaptive), many, {}));
}

}  // namespace
}  // namespace groma::sim::torus
