#include "sim/torus/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/torus/injection.hpp"
#include "sim/torus/worker.hpp"

namespace groma::sim::torus {
namespace {

/// Differs for each packet, so that a lost and a doubled one cannot make up for each other.
std::uint64_t check_of(Node from, Node to, std::uint64_t number) {
  return RandomStream(number).fork((std::uint64_t{from} << 32U) | to).next();
}

}  // namespace

Traffic::Traffic(TrafficPlan plan, const Shape& shape)
    : plan_(std::move(plan)), fifos_(shape.ports()), states_(shape.nodes()) {
  const RandomStream seed(plan_.seed);
  for (Node node = 0; node < shape.nodes(); ++node) states_[node].random = seed.fork(node);
  if (shape.nodes() <= kMaxNodesInOrder) latest_.resize(std::size_t{shape.nodes()} * shape.nodes());
}

Demands Traffic::demands() const {
  return {fifos_, 1, sizeof(Stamp)};
}

void Traffic::start(Adapter& node) {
  State& own = states_[node.node()];
  own.due = plan_.rate > 0.0 ? interval(own) : 0.0;
  choose_next(node, own);
  node.wake_at(0);
}

void Traffic::received(Adapter& node, std::uint32_t /*fifo*/) {
  ++states_[node.node()].waiting;
  advance(node);
}

/// Sends and receives in turn, so that neither holds up the other.
void Traffic::advance(Adapter& node) {
  State& own = states_[node.node()];
  end_window(node, own);
  while (own.processor.free_at() <= node.now() && act(node, own)) own.sends_next = !own.sends_next;
  if (observer_ != nullptr && own.processor.free_at() <= node.now()) report_waiting(node, own);
  node.wake_at(next_time(own, node.now()));
}

/// A node that has a packet that is due waits for room for it.
void Traffic::report_waiting(Adapter& node, const State& own) const {
  const bool is_due = has_more(own) && own.due <= static_cast<double>(node.now());
  observer_->begins(node.node(), node.now(), is_due ? Doing::kWaitingForRoom : Doing::kWaitingForPackets);
}

bool Traffic::act(Adapter& node, State& own) {
  inject(node, own.prepared);
  if (own.sends_next) return send(node, own) || receive(node, own);
  return receive(node, own) || send(node, own);
}

void Traffic::end_window(Adapter& node, State& own) const {
  if (own.ended || plan_.packets != 0 || node.now() < window_end()) return;
  own.ended = true;
  node.count_work(1);
}

bool Traffic::receive(Adapter& node, State& own) {
  const std::uint32_t packets = std::min(own.waiting, plan_.costs.batch);
  if (packets == 0) return false;
  for (std::uint32_t i = 0; i < packets; ++i) take(node, own, node.receive(0));
  own.waiting -= packets;
  spend(own.processor, node.node(), {node.now(), plan_.costs.receive(packets), Doing::kReceiving}, observer_);
  return true;
}

void Traffic::take(Adapter& node, State& own, PacketId id) {
  const Stamp stamp = *node.payload<Stamp>(id);
  if (observer_ != nullptr) {
    const Cycles sent = node.packet(id).injected;
    observer_->delivered({stamp.from, stamp.born, sent, node.node(), node.now(), node.now(), plan_.bytes, 0});
  }
  node.give_back(id);
  node.free_place(0);
  ++own.received;
  own.received_checks += check_of(stamp.from, node.node(), stamp.number);
  if (!latest_.empty()) {
    std::uint64_t& latest = latest_[(std::size_t{node.node()} * states_.size()) + stamp.from];
    own.count.overtaken += stamp.number + 1 < latest ? 1 : 0;
    latest = std::max(latest, stamp.number + 1);
  }
  if (plan_.packets == 0 && (node.now() < plan_.warm_up || node.now() >= window_end())) return;
  ++own.count.packets;
  own.count.bytes += plan_.bytes;
  own.count.latency += node.now() - stamp.born;
  own.count.longest = std::max(own.count.longest, node.now() - stamp.born);
}

bool Traffic::send(Adapter& node, State& own) {
  if (!has_more(own) || own.due > static_cast<double>(node.now())) return false;
  const std::uint32_t fifo = emptiest_fifo(node, own.ports);
  if (!node.may_inject(fifo)) return false;
  const PacketId id = node.take_packet();
  Packet& packet = node.packet(id);
  packet.hops = own.hops;
  packet.steps = static_cast<std::uint8_t>(plan_.steps);
  packet.reception = 0;
  packet.routing = node.network().routing;
  const Cycles born = plan_.rate > 0.0 ? whole_cycles(own.due) : node.now();
  *node.payload<Stamp>(id) = {born, own.sent, node.node(), own.next};
  own.sent_checks += check_of(node.node(), own.next, own.sent);
  own.prepared = {id, fifo};
  ++own.sent;
  own.due += plan_.rate > 0.0 ? interval(own) : 0.0;
  spend(own.processor, node.node(), {node.now(), plan_.costs.send, Doing::kSending}, observer_);
  choose_next(node, own);
  return true;
}

void Traffic::choose_next(Adapter& node, State& own) {
  own.next = plan_.pattern(node.node(), own.random);
  own.hops = node.shape().hops(node.node(), own.next, static_cast<std::uint32_t>(own.random.next()));
  own.ports = first_ports(own.hops, node.network().routing);
}

bool Traffic::has_more(const State& own) const {
  return own.ports != 0 && (plan_.packets == 0 || own.sent < plan_.packets);
}

/// Packets are born at random, independently of each other: the time between two is exponentially
/// distributed.
double Traffic::interval(State& own) const {
  constexpr double kStep = 0x1p-53;
  const double fraction = (static_cast<double>(own.random.next() >> 11U) + 1.0) * kStep;  // in (0, 1]
  return -std::log(fraction) * plan_.bytes / plan_.rate;
}

Cycles Traffic::next_time(const State& own, Cycles now) const {
  Cycles next = plan_.packets == 0 && !own.ended ? window_end() : kNever;
  if (own.processor.free_at() > now) return std::min(next, own.processor.free_at());
  if (has_more(own) && own.due > static_cast<double>(now)) {
    next = std::min(next, whole_cycles(std::ceil(own.due)));
  }
  return next;
}

Traffic::Count Traffic::counted() const {
  Count all;
  for (const State& own : states_) {
    all.packets += own.count.packets;
    all.bytes += own.count.bytes;
    all.latency += own.count.latency;
    all.longest = std::max(all.longest, own.count.longest);
    all.overtaken += own.count.overtaken;
  }
  return all;
}

bool Traffic::all_arrived_once() const {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t checks = 0;
  for (const State& own : states_) {
    sent += own.sent;
    received += own.received;
    checks += own.sent_checks - own.received_checks;
  }
  return sent == received && checks == 0;
}

/// Of a run that ended then: it may have been stopped within the window, or before it.
Cycles Traffic::time_counted(Cycles end) const {
  return plan_.packets != 0 ? end : std::min(end, window_end()) - plan_.warm_up;
}

void Traffic::report(const Outcome& outcome, JsonObject& result) const {
  const Count all = counted();
  const Cycles time = time_counted(outcome.end.time);
  const double accepted = static_cast<double>(all.bytes) / static_cast<double>(std::max<Cycles>(time, 1)) /
                          static_cast<double>(states_.size());
  const double mean =
      all.packets == 0 ? 0.0 : static_cast<double>(all.latency) / static_cast<double>(all.packets);
  if (time > 0) result.add("accepted", accepted);
  result.add("offered", plan_.rate)
      .add("bound", plan_.bound)
      .add("latency_of_window",
           JsonObject().add("n", all.packets).add("mean", mean).add("max", all.longest).json());
}

}  // namespace groma::sim::torus
