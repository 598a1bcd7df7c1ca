// The rules of the torus simulator (docs/sim/torus.md, "Model") in the plainest way, to compare it with: one
// event after the other, all of a node looked at whenever something happens there, packets and tokens as
// values. What makes the simulator fast is not here: windows, inboxes, calls of nodes, tokens that are
// collected late, sets of bits, threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/torus/network.hpp"
#include "sim/torus/packet.hpp"
#include "sim/torus/processors.hpp"
#include "sim/torus/shape.hpp"

namespace groma::test {

using sim::torus::Cycles;
using sim::torus::Hops;
using sim::torus::Node;
using sim::torus::Port;
using sim::torus::Routing;

struct PlainPacket {
  std::uint64_t name = 0;
  Hops hops{};
  std::int32_t steps = 1;
  std::uint32_t reception = 0;
  Routing routing = Routing::kAdaptive;

  /// In the order of dimensions; of a deterministic packet the first one alone.
  [[nodiscard]] std::vector<Port> ways() const {
    std::vector<Port> ways;
    for (std::size_t d = 0; d < hops.size(); ++d) {
      if (hops[d] == 0 || (routing == Routing::kDeterministic && !ways.empty())) continue;
      ways.push_back(static_cast<Port>((2 * d) + (hops[d] < 0 ? 1 : 0)));
    }
    return ways;
  }
};

struct PlainLink {
  Cycles free_at = 0;
  Cycles busy = 0;
  Cycles stalled = 0;
  std::optional<Cycles> stalls_since;
  std::uint32_t packets = 0;
  std::size_t turn = 0;  ///< the queue that comes first among equals
};

/// Tokens that come back at a time count from the begin of the window in which it lies.
struct TokenTiming {
  Cycles window = 1;
  Cycles late = 0;  ///< a planted fault: they count so much later

  [[nodiscard]] Cycles count_from(Cycles back) const { return (back / window * window) + late; }
};

/// `Nodes` is what the nodes do with packets: start, wake, received and injected, each with a Side.
template <class Nodes>
class PlainTorus {
 public:
  PlainTorus(const sim::torus::Shape& shape, const sim::torus::Network& network, const Nodes& nodes,
             const TokenTiming& tokens)
      : shape_(shape), network_(network), demands_(nodes.demands()), tokens_(tokens), behaviour_(nodes) {
    const std::size_t channels = std::size_t{shape.ports()} * network.channels();
    for (Node node = 0; node < shape.nodes(); ++node) {
      State state;
      state.queues.resize(channels + demands_.injection_fifos);
      state.links.resize(shape.ports());
      state.tokens.assign(channels, static_cast<std::int32_t>(network.channel_tokens()));
      state.receptions.resize(demands_.reception_fifos);
      states_.push_back(std::move(state));
    }
  }

  /// What a node may do; as sim::torus::Adapter.
  class Side {
   public:
    Side(PlainTorus& torus, Node node) : torus_(&torus), node_(node) {}
    [[nodiscard]] Node node() const { return node_; }
    [[nodiscard]] Cycles now() const { return torus_->now_; }
    [[nodiscard]] bool may_inject(std::uint32_t fifo) const {
      const Queue& queue = torus_->states_[node_].queues[torus_->injection(fifo)];
      return queue.packets.size() + (queue.streams ? 1 : 0) < torus_->network_.injection_packets;
    }
    void inject(std::uint32_t fifo, const PlainPacket& packet) {
      torus_->enqueue(node_, torus_->injection(fifo), packet);
    }
    std::optional<std::uint64_t> receive(std::uint32_t fifo) {
      std::deque<PlainPacket>& complete = torus_->states_[node_].receptions[fifo].complete;
      if (complete.empty()) return {};
      const std::uint64_t name = complete.front().name;
      complete.pop_front();
      return name;
    }
    void free_place(std::uint32_t fifo) { torus_->free_place(node_, fifo); }
    void wake_at(Cycles time) { torus_->wake_at(node_, time); }

   private:
    PlainTorus* torus_;
    Node node_;
  };

  /// Until nothing is left to do, or nothing moves any more. Returns the time of the last event that mattered
  /// to a packet or a processor.
  Cycles run() {
    for (Node node = 0; node < shape_.nodes(); ++node) {
      Side side(*this, node);
      behaviour_.start(side);
      arbitrate(node);
    }
    while (!due_.empty()) {
      const auto [time, node] = *due_.begin();
      due_.erase(due_.begin());
      now_ = time;
      step(node);
    }
    return latest_;
  }

  [[nodiscard]] const Nodes& nodes() const { return behaviour_; }
  [[nodiscard]] const PlainLink& link(Node node, Port port) const { return states_[node].links[port]; }

 private:
  struct Queue {
    std::deque<PlainPacket> packets;
    bool streams = false;  ///< a packet, whose tail leaves at free_at
    Cycles free_at = 0;
    std::optional<PlainPacket> leaving;  ///< what streams into a reception FIFO
    bool asks = false;                   ///< the first packet for links
    bool blocked = false;                ///< it waits for a place in a reception FIFO
  };
  struct Reception {
    std::deque<PlainPacket> complete;
    std::uint32_t taken = 0;
    std::size_t turn = 0;
  };
  struct State {
    std::vector<Queue> queues;
    std::vector<PlainLink> links;
    std::vector<std::int32_t> tokens;  ///< port by port
    std::vector<Reception> receptions;
    std::map<std::pair<Cycles, std::size_t>, PlainPacket> arriving;           ///< when, into which queue
    std::multimap<Cycles, std::pair<std::size_t, std::int32_t>> coming_back;  ///< tokens
    std::optional<Cycles> wakes_at;
  };

  [[nodiscard]] std::size_t injection(std::uint32_t fifo) const {
    return (std::size_t{shape_.ports()} * network_.channels()) + fifo;
  }
  [[nodiscard]] bool injects(std::size_t queue) const { return queue >= injection(0); }
  [[nodiscard]] std::size_t escape() const { return network_.channels() - 1; }

  void step(Node node) {
    State& state = states_[node];
    take_tokens(state);
    finish_streams(node);
    take_arrivals(node);
    if (state.wakes_at == now_) {
      state.wakes_at.reset();
      latest_ = now_;
      Side side(*this, node);
      behaviour_.wake(side);
    }
    arbitrate(node);
  }

  void take_tokens(State& state) {
    while (!state.coming_back.empty() && state.coming_back.begin()->first <= now_) {
      const auto [channel, steps] = state.coming_back.begin()->second;
      state.tokens[channel] += steps;
      state.coming_back.erase(state.coming_back.begin());
    }
  }

  void finish_streams(Node node) {
    State& state = states_[node];
    std::vector<std::size_t> due;
    for (std::size_t number = 0; number < state.queues.size(); ++number) {
      if (state.queues[number].streams && state.queues[number].free_at == now_) due.push_back(number);
    }
    Side side(*this, node);
    for (const std::size_t number : due) {
      Queue& queue = state.queues[number];
      queue.streams = false;
      const std::optional<PlainPacket> complete = std::exchange(queue.leaving, std::nullopt);
      if (!queue.packets.empty()) show_first(node, number);
      if (complete) {
        latest_ = now_;
        state.receptions[complete->reception].complete.push_back(*complete);
        behaviour_.received(side, complete->reception);
      }
      if (injects(number)) {
        latest_ = now_;
        behaviour_.injected(side, static_cast<std::uint32_t>(number - injection(0)));
      }
    }
  }

  void take_arrivals(Node node) {
    auto& arriving = states_[node].arriving;
    while (!arriving.empty() && arriving.begin()->first.first == now_) {
      const auto [when, packet] = *arriving.begin();
      arriving.erase(arriving.begin());
      enqueue(node, when.second, packet);
    }
  }

  void enqueue(Node node, std::size_t number, const PlainPacket& packet) {
    latest_ = now_;
    Queue& queue = states_[node].queues[number];
    queue.packets.push_back(packet);
    if (queue.packets.size() == 1 && !queue.streams) show_first(node, number);
  }

  /// The first packet of a queue comes before all that already ask for other links.
  void show_first(Node node, std::size_t number) {
    State& state = states_[node];
    Queue& queue = state.queues[number];
    const std::vector<Port> ways = queue.packets.front().ways();
    if (ways.empty()) {
      deliver(node, number);
      return;
    }
    std::vector<Port> free;
    for (const Port port : ways) {
      if (state.links[port].free_at <= now_ && asking(state, port).empty()) free.push_back(port);
    }
    queue.asks = !try_to_send(node, number, free);
  }

  void deliver(Node node, std::size_t number) {
    Queue& queue = states_[node].queues[number];
    Reception& reception = states_[node].receptions[queue.packets.front().reception];
    queue.blocked = network_.reception_packets != 0 && reception.taken == network_.reception_packets;
    if (queue.blocked) return;
    ++reception.taken;
    queue.leaving = queue.packets.front();
    stream_out(node, number);
  }

  void free_place(Node node, std::uint32_t fifo) {
    State& state = states_[node];
    Reception& reception = state.receptions[fifo];
    --reception.taken;
    const std::size_t queues = state.queues.size();
    for (std::size_t i = 0; i < queues; ++i) {
      // Turns are those of 64 queues.
      const std::size_t number = (std::min(reception.turn, queues) + i) % queues;
      const Queue& queue = state.queues[number];
      if (!queue.blocked || queue.packets.front().reception != fifo) continue;
      reception.turn = number + 1;
      deliver(node, number);
      return;
    }
  }

  /// Queues whose first packet asks for a link.
  [[nodiscard]] std::vector<std::size_t> asking(const State& state, Port port) const {
    std::vector<std::size_t> found;
    for (std::size_t number = 0; number < state.queues.size(); ++number) {
      if (!state.queues[number].asks) continue;
      const std::vector<Port> ways = state.queues[number].packets.front().ways();
      if (std::ranges::find(ways, port) != ways.end()) found.push_back(number);
    }
    return found;
  }

  /// Links in order; at each, packets under way before new ones, longer queues before shorter ones, equal
  /// ones in turn.
  void arbitrate(Node node) {
    State& state = states_[node];
    std::set<Port> idle;
    for (Port port = 0; port < shape_.ports(); ++port) {
      if (state.links[port].free_at <= now_ && !asking(state, port).empty()) idle.insert(port);
    }
    for (Port port = 0; port < shape_.ports(); ++port) {
      std::set<std::size_t> tried;
      while (idle.contains(port)) {
        std::vector<std::size_t> left = asking(state, port);
        std::erase_if(left, [&](std::size_t number) { return tried.contains(number); });
        if (left.empty()) break;
        const std::size_t number = most_pressing(state, left, state.links[port].turn);
        tried.insert(number);
        std::vector<Port> offered;
        for (const Port way : state.queues[number].packets.front().ways()) {
          if (idle.contains(way)) offered.push_back(way);
        }
        if (const auto taken = try_to_send(node, number, offered)) idle.erase(*taken);
      }
    }
    for (Port port = 0; port < shape_.ports(); ++port) note_stall(state, port);
  }

  [[nodiscard]] std::size_t most_pressing(const State& state, const std::vector<std::size_t>& left,
                                          std::size_t turn) const {
    const auto pressing = [&](std::size_t number) {
      return injects(number) ? 0 : state.queues[number].packets.size();
    };
    std::vector<std::size_t> in_turn = left;
    std::ranges::rotate(in_turn, std::ranges::lower_bound(in_turn, turn));
    return *std::ranges::max_element(in_turn, {}, pressing);
  }

  void note_stall(State& state, Port port) {
    PlainLink& link = state.links[port];
    const bool stalls = link.free_at <= now_ && !asking(state, port).empty();
    if (stalls == link.stalls_since.has_value()) return;
    if (stalls) {
      link.stalls_since = now_;
    } else {
      link.stalled += now_ - *link.stalls_since;
      link.stalls_since.reset();
    }
  }

  /// The link by which the first packet went: that with the most tokens for an adaptive channel, else the
  /// first of the packet's ways by the escape channel.
  std::optional<Port> try_to_send(Node node, std::size_t number, const std::vector<Port>& offered) {
    State& state = states_[node];
    const PlainPacket& packet = state.queues[number].packets.front();
    std::optional<std::pair<Port, std::size_t>> best;
    std::int32_t most = 0;
    for (const Port port : offered) {
      for (std::size_t channel = 0; channel < escape(); ++channel) {
        const std::int32_t tokens = state.tokens[(port * network_.channels()) + channel];
        if (tokens <= most) continue;
        most = tokens;
        best = {port, channel};
      }
    }
    if (packet.routing == Routing::kAdaptive && best && most >= packet.steps) {
      send(node, number, best->first, best->second);
      return best->first;
    }
    const Port first = packet.ways().front();
    if (std::ranges::find(offered, first) == offered.end()) return {};
    const bool in_the_ring = number == (first * network_.channels()) + escape();
    const std::int32_t bubble = in_the_ring ? 0 : static_cast<std::int32_t>(network_.largest_steps());
    if (state.tokens[(first * network_.channels()) + escape()] - bubble < packet.steps) return {};
    send(node, number, first, escape());
    return first;
  }

  void send(Node node, std::size_t number, Port port, std::size_t channel) {
    State& state = states_[node];
    state.queues[number].asks = false;
    PlainPacket packet = state.queues[number].packets.front();
    std::int16_t& hops = packet.hops[port / 2];
    hops = static_cast<std::int16_t>(hops + (port % 2 == 0 ? -1 : 1));
    const std::size_t queue = (port * network_.channels()) + channel;
    state.tokens[queue] -= packet.steps;
    const Cycles wire = network_.wire_time(static_cast<std::uint32_t>(packet.steps));
    PlainLink& link = state.links[port];
    link.free_at = now_ + wire;
    link.busy += wire;
    ++link.packets;
    link.turn = number + 1;
    due_.insert({link.free_at, node});
    const Node next = shape_.neighbour(node, port);
    states_[next].arriving.insert({{now_ + network_.hop_latency, queue}, packet});
    due_.insert({now_ + network_.hop_latency, next});
    stream_out(node, number);
  }

  void stream_out(Node node, std::size_t number) {
    latest_ = now_;
    Queue& queue = states_[node].queues[number];
    const std::int32_t steps = queue.packets.front().steps;
    queue.packets.pop_front();
    queue.streams = true;
    queue.free_at = now_ + network_.wire_time(static_cast<std::uint32_t>(steps));
    due_.insert({queue.free_at, node});
    if (injects(number)) return;
    const auto port = static_cast<Port>(number / network_.channels());
    const Node sender = shape_.neighbour(node, sim::torus::opposite(port));
    const Cycles back = tokens_.count_from(queue.free_at + network_.hop_latency);
    states_[sender].coming_back.insert({back, {number, steps}});
    due_.insert({back, sender});
  }

  void wake_at(Node node, Cycles time) {
    states_[node].wakes_at.reset();
    if (time == INT64_MAX) return;
    states_[node].wakes_at = time;
    due_.insert({time, node});
  }

  const sim::torus::Shape& shape_;
  const sim::torus::Network& network_;
  sim::torus::Demands demands_;
  TokenTiming tokens_;
  Nodes behaviour_;
  std::vector<State> states_;
  std::set<std::pair<Cycles, Node>> due_;
  Cycles now_ = 0;
  Cycles latest_ = 0;
};

}  // namespace groma::test
