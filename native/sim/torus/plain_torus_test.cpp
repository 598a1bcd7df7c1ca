// The simulator beside the plainest implementation of its rules, on networks that are drawn at random: every
// packet at the same time, every link with the same load.
#include "testing/plain_torus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "sim/torus/engine.hpp"
#include "sim/torus/worker.hpp"
#include "testing/one_thread.hpp"

namespace groma::sim::torus {
namespace {

using test::PlainLink;
using test::PlainPacket;
using test::PlainTorus;

struct Letter {
  Cycles at = 0;
  Node to = 0;
  std::uint32_t payload = 0;
  std::uint32_t reception = 0;
  Routing routing = Routing::kAdaptive;
};

struct Receipt {
  Cycles at = 0;
  std::uint64_t letter = 0;

  friend bool operator==(const Receipt&, const Receipt&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Receipt& one) {
    return out << one.letter << " at " << one.at;
  }
};

/// Letters by sender and injection FIFO: each FIFO sends its own in order, when their time has come and there
/// is room. A node takes one packet after the other from its reception FIFOs, for so many cycles each.
struct Correspondence {
  Demands demands;
  Cycles service = 0;
  std::vector<std::vector<std::vector<Letter>>> letters;
};

/// What the nodes do, of the simulator as of the plain torus.
class Correspondents {
 public:
  Correspondents(const Shape& shape, const Network& network, const Correspondence& plan)
      : shape_(&shape), network_(&network), plan_(&plan), desks_(shape.nodes()), receipts_(shape.nodes()) {
    for (Desk& desk : desks_) desk.sent.resize(plan.demands.injection_fifos);
  }

  [[nodiscard]] Demands demands() const { return plan_->demands; }
  [[nodiscard]] const std::vector<std::vector<Receipt>>& receipts() const { return receipts_; }

  template <class Side>
  void start(Side& side) {
    go_on(side);
  }
  template <class Side>
  void wake(Side& side) {
    Desk& desk = desks_[side.node()];
    if (desk.serves && desk.done_at <= side.now()) finish(side, desk);
    go_on(side);
  }
  template <class Side>
  void received(Side& side, std::uint32_t /*fifo*/) {
    go_on(side);
  }
  template <class Side>
  void injected(Side& side, std::uint32_t /*fifo*/) {
    go_on(side);
  }

 private:
  struct Desk {
    std::vector<std::size_t> sent;        ///< letters of each injection FIFO
    std::optional<std::uint32_t> serves;  ///< the reception FIFO of the packet
    std::uint64_t letter = 0;
    Cycles done_at = 0;
  };

  template <class Side>
  void go_on(Side& side) {
    Desk& desk = desks_[side.node()];
    while (!desk.serves && take(side, desk)) {
      if (plan_->service == 0) finish(side, desk);
    }
    Cycles next = desk.serves ? desk.done_at : kNever;
    for (std::uint32_t fifo = 0; fifo < plan_->demands.injection_fifos; ++fifo) {
      next = std::min(next, send_due(side, fifo));
    }
    side.wake_at(next);
  }

  template <class Side>
  bool take(Side& side, Desk& desk) {
    for (std::uint32_t fifo = 0; fifo < plan_->demands.reception_fifos && !desk.serves; ++fifo) {
      const std::optional<std::uint64_t> letter = side.receive(fifo);
      if (!letter) continue;
      desk.serves = fifo;
      desk.letter = *letter;
      desk.done_at = side.now() + plan_->service;
    }
    return desk.serves.has_value();
  }

  template <class Side>
  void finish(Side& side, Desk& desk) {
    receipts_[side.node()].push_back({side.now(), desk.letter});
    side.free_place(*desk.serves);
    desk.serves.reset();
  }

  /// The time of the next letter that is not due.
  template <class Side>
  Cycles send_due(Side& side, std::uint32_t fifo) {
    const std::vector<Letter>& mine = plan_->letters[side.node()][fifo];
    std::size_t& sent = desks_[side.node()].sent[fifo];
    for (; sent < mine.size(); ++sent) {
      if (mine[sent].at > side.now()) return mine[sent].at;
      if (!side.may_inject(fifo)) return kNever;
      side.inject(fifo, packet_of(side.node(), fifo, sent));
    }
    return kNever;
  }

  [[nodiscard]] PlainPacket packet_of(Node node, std::uint32_t fifo, std::size_t number) const {
    const Letter& letter = plan_->letters[node][fifo][number];
    PlainPacket packet;
    packet.name = (std::uint64_t{node} << 32U) | (std::uint64_t{fifo} << 24U) | number;
    packet.hops = shape_->hops(node, letter.to, static_cast<std::uint32_t>(number));
    packet.steps = static_cast<std::int32_t>(network_->steps_of(letter.payload));
    packet.reception = letter.reception;
    packet.routing = letter.routing;
    return packet;
  }

  const Shape* shape_;
  const Network* network_;
  const Correspondence* plan_;
  std::vector<Desk> desks_;
  std::vector<std::vector<Receipt>> receipts_;
};

/// A node of the simulator as the correspondents see it.
class SimulatedSide {
 public:
  explicit SimulatedSide(Adapter& adapter) : adapter_(adapter) {}
  [[nodiscard]] Node node() const { return adapter_.node(); }
  [[nodiscard]] Cycles now() const { return adapter_.now(); }
  [[nodiscard]] bool may_inject(std::uint32_t fifo) const { return adapter_.may_inject(fifo); }
  void inject(std::uint32_t fifo, const PlainPacket& plain) {
    const PacketId id = adapter_.take_packet();
    Packet& packet = adapter_.packet(id);
    packet.hops = plain.hops;
    packet.steps = static_cast<std::uint8_t>(plain.steps);
    packet.reception = static_cast<std::uint8_t>(plain.reception);
    packet.routing = plain.routing;
    *adapter_.payload<std::uint64_t>(id) = plain.name;
    adapter_.inject(fifo, id);
  }
  std::optional<std::uint64_t> receive(std::uint32_t fifo) {
    const PacketId id = adapter_.receive(fifo);
    if (id == kNoPacket) return {};
    const std::uint64_t name = *adapter_.payload<std::uint64_t>(id);
    adapter_.give_back(id);
    return name;
  }
  void free_place(std::uint32_t fifo) { adapter_.free_place(fifo); }
  void wake_at(Cycles time) { adapter_.wake_at(time); }

 private:
  Adapter& adapter_;
};

class Simulated : public Processors {
 public:
  explicit Simulated(Correspondents behaviour) : behaviour_(std::move(behaviour)) {}
  [[nodiscard]] Demands demands() const override { return behaviour_.demands(); }
  void start(Adapter& node) override {
    SimulatedSide side(node);
    behaviour_.start(side);
  }
  void wake(Adapter& node) override {
    SimulatedSide side(node);
    behaviour_.wake(side);
  }
  void received(Adapter& node, std::uint32_t fifo) override {
    SimulatedSide side(node);
    behaviour_.received(side, fifo);
  }
  void injected(Adapter& node, std::uint32_t fifo) override {
    SimulatedSide side(node);
    behaviour_.injected(side, fifo);
  }
  [[nodiscard]] const std::vector<std::vector<Receipt>>& receipts() const { return behaviour_.receipts(); }

 private:
  Correspondents behaviour_;
};

struct Case {
  Shape shape;
  Network network;
  Correspondence plan;
  std::string text;
};

template <class T>
T one_of(RandomStream& random, const std::vector<T>& values) {
  return values[random.below(values.size())];
}

std::vector<Letter> drawn_letters(RandomStream& random, const Case& one, std::size_t count, Cycles apart) {
  std::vector<Letter> letters;
  const Node favourite = static_cast<Node>(random.below(one.shape.nodes()));
  Cycles at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool bursts = random.below(3) != 0;
    at += bursts ? 0 : static_cast<Cycles>(random.below(static_cast<std::uint64_t>(apart)));
    const auto any = static_cast<Node>(random.below(one.shape.nodes()));
    const bool adaptive = one.network.routing == Routing::kAdaptive && random.below(8) != 0;
    letters.push_back({at, random.below(4) == 0 ? favourite : any,
                       static_cast<std::uint32_t>(random.below(one.network.largest_payload() + 1)),
                       static_cast<std::uint32_t>(random.below(one.plan.demands.reception_fifos)),
                       adaptive ? Routing::kAdaptive : Routing::kDeterministic});
  }
  return letters;
}

Shape drawn_shape(RandomStream& random, std::uint64_t nodes) {
  std::vector<std::uint32_t> extents;
  std::vector<bool> closed;
  const std::size_t dimensions = 1 + random.below(4);
  const bool mesh = random.below(3) == 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::uint64_t most = std::max<std::uint64_t>(1, std::min<std::uint64_t>(nodes, 9));
    extents.push_back(static_cast<std::uint32_t>(1 + random.below(most)));
    nodes /= extents.back();
    closed.push_back(!mesh || random.below(2) == 0);
  }
  return Shape::make(extents, closed).value();
}

Network drawn_network(RandomStream& random) {
  Network network;
  network.routing = one_of(random, std::vector{Routing::kAdaptive, Routing::kDeterministic});
  network.bytes_per_cycle = one_of(random, std::vector{0.1, 0.25, 0.5, 3.0, 20.0, 1000.0});
  network.hop_latency = one_of(random, std::vector<Cycles>{1, 2, 3, 16, 64, 100, 700});
  network.channel_bytes = one_of(random, std::vector{512U, 544U, 768U, 1024U, 4096U, 32768U});
  network.adaptive_channels = static_cast<std::uint32_t>(random.below(4));
  network.injection_packets = one_of(random, std::vector{1U, 2U, 8U});
  network.reception_packets = one_of(random, std::vector{0U, 1U, 2U, 5U});
  return network;
}

std::string described(const Shape& shape, const Network& network, const Correspondence& plan) {
  std::ostringstream text;
  for (std::size_t d = 0; d < shape.dimensions(); ++d) {
    text << shape.extent(d) << (shape.is_closed(d) ? " " : "(open) ");
  }
  text << (network.routing == Routing::kAdaptive ? "adaptive " : "deterministic ")
       << network.adaptive_channels << " channels " << network.channel_bytes << " B, "
       << network.bytes_per_cycle << " B/cycle, hop " << network.hop_latency << ", FIFOs "
       << plan.demands.injection_fifos << " of " << network.injection_packets << " and "
       << plan.demands.reception_fifos << " of " << network.reception_packets << ", service " << plan.service;
  return text.str();
}

Case drawn_case(std::uint64_t seed, std::uint64_t nodes, std::size_t letters) {
  RandomStream random(seed);
  Case one{drawn_shape(random, nodes), drawn_network(random), {}, {}};
  one.plan.demands = {static_cast<std::uint32_t>(1 + random.below(3)),
                      static_cast<std::uint32_t>(1 + random.below(2)), sizeof(std::uint64_t)};
  const Cycles packet = one.network.wire_time(one.network.largest_steps());
  one.plan.service = one_of(random, std::vector<Cycles>{0, 0, 1, packet / 3 + 1, 3 * packet});
  const Cycles apart = one_of(random, std::vector<Cycles>{1, packet, 40 * packet});
  one.plan.letters.resize(one.shape.nodes());
  for (auto& fifos : one.plan.letters) {
    for (std::uint32_t fifo = 0; fifo < one.plan.demands.injection_fifos; ++fifo) {
      fifos.push_back(drawn_letters(random, one, random.below(letters), apart));
    }
  }
  one.text = described(one.shape, one.network, one.plan);
  return one;
}

void expect_same_links(const Case& one, const Outcome& outcome, const PlainTorus<Correspondents>& plain) {
  for (Node node = 0; node < one.shape.nodes(); ++node) {
    for (Port port = 0; port < one.shape.ports(); ++port) {
      const LinkUse& link = outcome.links[(std::size_t{node} * one.shape.ports()) + port];
      const PlainLink& expected = plain.link(node, port);
      ASSERT_EQ(link.busy, expected.busy) << "node " << node << " port " << port;
      ASSERT_EQ(link.packets, expected.packets) << "node " << node << " port " << port;
      ASSERT_EQ(link.stalled, expected.stalled) << "node " << node << " port " << port;
    }
  }
}

void expect_same(const Case& one, std::size_t threads) {
  SCOPED_TRACE(one.text + ", threads " + std::to_string(threads));
  const Correspondents behaviour(one.shape, one.network, one.plan);
  Simulated simulated(behaviour);
  RunOptions options;
  options.threads = threads;
  const Outcome outcome = simulate(one.shape, one.network, simulated, options).value();
  EXPECT_EQ(outcome.ending, Ending::kDone);
  const Cycles window = Fabric(one.shape, one.network, one.plan.demands).window();
  PlainTorus<Correspondents> plain(one.shape, one.network, behaviour, {window, 0});
  EXPECT_EQ(outcome.end.time, plain.run());
  for (Node node = 0; node < one.shape.nodes(); ++node) {
    ASSERT_EQ(simulated.receipts()[node], plain.nodes().receipts()[node]) << "at node " << node;
  }
  expect_same_links(one, outcome, plain);
}

TEST_ON_ONE_THREAD(PlainTorus, TakesEachPacketWhenTheSimulatorDoes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(drawn_case(seed, 60, 20), 1);
  }
}

TEST(PlainTorus, TakesEachPacketWhenTheSimulatorDoesOnTwoThreads) {
  std::size_t cases = 0;
  for (std::uint64_t seed = 100; cases < rounds(6U, 2U); ++seed) {
    const Case one = drawn_case(seed, 300, 8);
    if (one.shape.nodes() <= kNodesPerWord) continue;  // one thread would do everything
    ++cases;
    SCOPED_TRACE(seed);
    expect_same(one, 2);
  }
}

/// That the two above can fail.
TEST_ON_ONE_THREAD(PlainTorus, SeesATokenThatComesBackAWindowLate) {
  std::size_t seen = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Case one = drawn_case(seed, 60, 20);
    const Correspondents behaviour(one.shape, one.network, one.plan);
    const Cycles window = Fabric(one.shape, one.network, one.plan.demands).window();
    PlainTorus<Correspondents> plain(one.shape, one.network, behaviour, {window, 0});
    PlainTorus<Correspondents> late(one.shape, one.network, behaviour, {window, window});
    plain.run();
    late.run();
    if (plain.nodes().receipts() != late.nodes().receipts()) ++seen;
  }
  EXPECT_GE(seen, 5U);
}

}  // namespace
}  // namespace groma::sim::torus
