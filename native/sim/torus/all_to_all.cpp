#include "sim/torus/all_to_all.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/torus/injection.hpp"
#include "sim/torus/worker.hpp"

namespace groma::sim::torus {

AllToAll::AllToAll(const AllToAllPlan& plan, const Shape& shape, const Network& network)
    : plan_(plan),
      ports_(shape.ports()),
      destinations_(shape, plan_.destinations == 0 ? shape.nodes() : plan_.destinations, plan_.seed),
      packets_((plan_.bytes + network.largest_payload() - 1) / network.largest_payload()),
      most_payload_(network.largest_payload()),
      states_(shape.nodes()) {
  const RandomStream seed(plan_.seed);
  for (Node node = 0; node < shape.nodes(); ++node) {
    states_[node].order = CheapPermutation(destinations_.count(), seed.fork(node).next());
    states_[node].random = seed.fork(std::uint64_t{node} + shape.nodes());
  }
  const auto wire_time = [&](std::uint32_t payload) {
    return static_cast<double>(network.wire_time(network.steps_of(payload)));
  };
  const std::uint32_t last = plan_.bytes - ((packets_ - 1) * most_payload_);
  least_time_ =
      destinations_.busiest_load() * (((packets_ - 1) * wire_time(most_payload_)) + wire_time(last));
}

/// In two phases each has FIFOs of its own, so that packets of one do not wait behind those of the other.
Demands AllToAll::demands() const {
  return {plan_.two_phases ? 2 * ports_ : ports_, 1, sizeof(Label)};
}

void AllToAll::start(Adapter& node) {
  choose_next(node, states_[node.node()]);
  node.wake_at(0);
}

void AllToAll::received(Adapter& node, std::uint32_t /*fifo*/) {
  ++states_[node.node()].waiting;
  advance(node);
}

void AllToAll::advance(Adapter& node) {
  State& own = states_[node.node()];
  while (own.processor.free_at() <= node.now() && act(node, own)) {
  }
  if (observer_ != nullptr && own.processor.free_at() <= node.now()) report_waiting(node, own);
  node.wake_at(own.processor.free_at() > node.now() ? own.processor.free_at() : kNever);
}

bool AllToAll::act(Adapter& node, State& own) {
  inject(node, own.prepared);
  return receive(node, own) || forward(node, own) || send(node, own);
}

void AllToAll::report_waiting(Adapter& node, const State& own) const {
  const bool has_more = own.next != kNoNode || !own.forward.empty() || !own.held.empty();
  observer_->begins(node.node(), node.now(), has_more ? Doing::kWaitingForRoom : Doing::kWaitingForPackets);
}

void AllToAll::report_delivery(Adapter& node, PacketId id) const {
  const Packet& packet = node.packet(id);
  const Label& label = *node.payload<Label>(id);
  observer_->delivered({label.sender, packet.injected, packet.injected, node.node(), node.now(), node.now(),
                        std::uint64_t{packet.steps} * node.network().packet_step, 0});
}

bool AllToAll::receive(Adapter& node, State& own) {
  const std::uint32_t packets = std::min(own.waiting, plan_.costs.batch);
  if (packets == 0) return false;
  for (std::uint32_t i = 0; i < packets; ++i) take(node, own, node.receive(0));
  own.waiting -= packets;
  spend(own.processor, node.node(), {node.now(), plan_.costs.receive(packets), Doing::kReceiving}, observer_);
  return true;
}

void AllToAll::take(Adapter& node, State& own, PacketId id) {
  if (observer_ != nullptr) report_delivery(node, id);
  node.free_place(0);
  const Label label = *node.payload<Label>(id);
  if (label.to != node.node()) {
    const auto coins = static_cast<std::uint32_t>(own.random.next());
    node.packet(id).hops = node.shape().hops(node.node(), label.to, coins);
    own.forward.push_back(id);
    own.most_stored = std::max(own.most_stored, own.forward.size());
    return;
  }
  own.bytes += label.bytes;
  own.last = node.now();
  node.count_work(label.bytes);
  node.give_back(id);
}

/// What is stored goes on before packets of the node's own, so that little is stored.
bool AllToAll::forward(Adapter& node, State& own) {
  if (own.forward.empty()) return false;
  const PacketId id = own.forward.front();
  const std::uint32_t fifo = emptiest_fifo(node, fifos_of(node, node.packet(id).hops, false));
  if (!node.may_inject(fifo)) return false;
  own.forward.pop_front();
  prepare(node, own, fifo, id);
  return true;
}

bool AllToAll::send(Adapter& node, State& own) {
  if (send_held(node, own)) return true;
  while (own.next != kNoNode) {
    const std::uint32_t fifos = fifos_of(node, own.hops, true);
    const std::uint32_t fifo = emptiest_fifo(node, fifos);
    const bool goes = node.may_inject(fifo);
    if (!goes && own.held.size() >= plan_.ahead) return false;
    const PacketId id = make_packet(node, own);
    step_on(own);
    choose_next(node, own);
    if (!goes) {
      own.held.push_back({id, fifos});
      continue;
    }
    prepare(node, own, fifo, id);
    return true;
  }
  return false;
}

bool AllToAll::send_held(Adapter& node, State& own) {
  const auto found = std::ranges::find_if(
      own.held, [&](const Held& held) { return node.may_inject(emptiest_fifo(node, held.ports)); });
  if (found == own.held.end()) return false;
  const Held held = *found;
  own.held.erase(found);
  prepare(node, own, emptiest_fifo(node, held.ports), held.packet);
  return true;
}

PacketId AllToAll::make_packet(Adapter& node, const State& own) const {
  const PacketId id = node.take_packet();
  Packet& packet = node.packet(id);
  packet.hops = own.hops;
  packet.steps = static_cast<std::uint8_t>(node.network().steps_of(own.next_bytes));
  packet.reception = 0;
  packet.routing = node.network().routing;
  *node.payload<Label>(id) = {node.node(), own.next, own.next_bytes, node.node()};
  return id;
}

void AllToAll::prepare(Adapter& node, State& own, std::uint32_t fifo, PacketId id) const {
  node.payload<Label>(id)->sender = node.node();
  own.prepared = {id, fifo};
  spend(own.processor, node.node(), {node.now(), plan_.costs.send, Doing::kSending}, observer_);
}

/// To the next packet of the burst, the next destination, or the first one again.
void AllToAll::step_on(State& own) const {
  const std::uint32_t sent = (own.round * plan_.burst) + ++own.in_burst;
  if (own.in_burst < plan_.burst && sent < packets_) return;
  own.in_burst = 0;
  if (++own.at < destinations_.count()) return;
  own.at = 0;
  ++own.round;
}

void AllToAll::choose_next(Adapter& node, State& own) {
  const std::uint32_t number = (own.round * plan_.burst) + own.in_burst;
  own.next = kNoNode;
  if (number >= packets_ || states_.size() < 2) return;
  own.next = destinations_.of(node.node(), own.order(own.at));
  own.next_bytes = std::min(most_payload_, plan_.bytes - (number * most_payload_));
  own.stop = stop_of(node, own.next);
  own.hops = node.shape().hops(node.node(), own.stop, static_cast<std::uint32_t>(own.random.next()));
}

Node AllToAll::stop_of(Adapter& node, Node to) const {
  if (!plan_.two_phases) return to;
  const Shape& shape = node.shape();
  const std::size_t first = plan_.phase_dimension;
  if (shape.coordinate(node.node(), first) == shape.coordinate(to, first)) return to;
  std::vector<std::uint32_t> place;
  for (std::size_t d = 0; d < shape.dimensions(); ++d) {
    place.push_back(shape.coordinate(d == first ? to : node.node(), d));
  }
  return shape.node_at(place);
}

std::uint32_t AllToAll::fifos_of(Adapter& node, const Hops& hops, bool own) const {
  const std::uint32_t ports = first_ports(hops, node.network().routing);
  return own && plan_.two_phases ? ports << ports_ : ports;
}

Cycles AllToAll::time() const {
  Cycles last = 0;
  for (const State& own : states_) last = std::max(last, own.last);
  return last;
}

std::uint64_t AllToAll::bytes_received() const {
  return std::accumulate(states_.begin(), states_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const State& own) { return sum + own.bytes; });
}

bool AllToAll::is_complete() const {
  return std::ranges::all_of(states_, [&](const State& own) { return own.bytes == bytes_sent(); });
}

void AllToAll::report(const Outcome& /*outcome*/, JsonObject& result) const {
  std::size_t stored = 0;
  for (const State& own : states_) stored = std::max(stored, own.most_stored);
  const std::uint64_t bytes = bytes_received();
  const auto taken = static_cast<double>(std::max<Cycles>(time(), 1));
  const double wanted = static_cast<double>(bytes_sent()) * static_cast<double>(states_.size());
  const double arrived = static_cast<double>(bytes) / wanted;
  result.add("complete", is_complete())
      .add("message_bytes", bytes)
      .add("last_arrival", time())
      .add("least_time", least_time_)
      .add("share_of_peak", arrived * least_time_ / taken)
      .add("bytes_per_cycle", static_cast<double>(bytes) / taken)
      .add("most_stored", stored);
}

}  // namespace groma::sim::torus
