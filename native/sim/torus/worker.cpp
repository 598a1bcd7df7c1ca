#include "sim/torus/worker.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace groma::sim::torus {
namespace {

constexpr std::uint64_t bit(std::uint32_t index) {
  return std::uint64_t{1} << index;
}

/// Calls `use` for the number of each bit that is set.
template <class Use>
void for_each_bit(std::uint64_t bits, Use use) {
  for (; bits != 0; bits &= bits - 1) use(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

/// The ports on minimal ways; with deterministic routing, that of the first dimension which is left.
std::uint16_t ports_wanted(const Packet& packet, std::size_t dimensions) {
  std::uint16_t wanted = 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (packet.hops[d] == 0) continue;
    wanted |= static_cast<std::uint16_t>(1U << ((2 * d) + (packet.hops[d] < 0 ? 1 : 0)));
    if (packet.routing == Routing::kDeterministic) break;
  }
  return wanted;
}

}  // namespace

void Worker::start(Node node) {
  node_ = node;
  window_ = 0;
  now_ = 0;
  end_ = fabric_.window();
  router_ = &fabric_.router(node);
  links_ = fabric_.links(node);
  queues_ = fabric_.queues(node);
  Adapter adapter(*this);
  processors_.start(adapter);
  fabric_.call(node, 0, 0);
}

void Worker::visit(Node node, std::uint64_t window) {
  node_ = node;
  window_ = window;
  now_ = static_cast<Cycles>(window) * fabric_.window();
  end_ = now_ + fabric_.window();
  router_ = &fabric_.router(node);
  links_ = fabric_.links(node);
  queues_ = fabric_.queues(node);
  contended_ = window == 0;
  collect_tokens();
  collect_arrivals();
  if (contended_) arbitrate();
  std::size_t arrived = 0;
  Adapter adapter(*this);
  while (true) {
    const Cycles next = next_event(arrived);
    if (next >= end_) break;
    now_ = next;
    finish_streams();
    for (; arrived < arrivals_.size() && arrivals_[arrived].at == now_; ++arrived) {
      enqueue(arrivals_[arrived].queue, arrivals_[arrived].packet);
    }
    if (router_->wake_at <= now_) {
      router_->wake_at = kNever;
      --tally_.timers;
      processors_.wake(adapter);
    }
    if (contended_) arbitrate();
  }
  if (router_->wake_at != kNever) fabric_.call(node_, router_->wake_at, window_);
}

/// The tokens of a window count from its begin on.
void Worker::collect_tokens() {
  const std::uint32_t channels = fabric_.channels();
  std::int16_t* tokens = fabric_.tokens(node_, slot());
  for (Port port = 0; port < fabric_.shape().ports(); ++port) {
    for (std::uint32_t channel = 0; channel < channels; ++channel, ++tokens) {
      if (*tokens == 0) continue;
      links_[port].tokens[channel] = static_cast<std::int16_t>(links_[port].tokens[channel] + *tokens);
      *tokens = 0;
      contended_ |= links_[port].requesters != 0;
    }
  }
}

void Worker::collect_arrivals() {
  arrivals_.clear();
  std::uint8_t* counts = fabric_.arrival_counts(node_, slot());
  for (Port port = 0; port < fabric_.shape().ports(); ++port) {
    const Arrival* from = fabric_.arrivals(node_, slot(), port);
    arrivals_.insert(arrivals_.end(), from, from + counts[port]);
    counts[port] = 0;
  }
  if (arrivals_.size() > 1) {
    std::sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) {
      return a.at != b.at ? a.at < b.at : a.queue < b.queue;
    });
  }
}

Cycles Worker::next_event(std::size_t first_arrival) const {
  Cycles next = router_->wake_at;
  if (first_arrival < arrivals_.size()) next = std::min(next, arrivals_[first_arrival].at);
  for_each_bit(router_->streaming, [&](std::uint32_t queue) { next = std::min(next, queues_[queue].free_at); });
  return next;
}

/// Tails that leave now: their queues show the next packet, and what came out of the network is received.
void Worker::finish_streams() {
  Adapter adapter(*this);
  for_each_bit(router_->streaming, [&](std::uint32_t number) {
    Queue& queue = queues_[number];
    if (queue.free_at != now_) return;
    router_->streaming &= ~bit(number);
    contended_ = true;
    const PacketId complete = std::exchange(queue.leaving, kNoPacket);
    if (queue.head != kNoPacket) show_head(number);
    if (complete != kNoPacket) receive(complete);
    if (number >= fabric_.channel_queues()) processors_.injected(adapter, number - fabric_.channel_queues());
  });
}

void Worker::receive(PacketId id) {
  Packet& packet = pool_[id];
  packet.next = kNoPacket;
  Reception& reception = fabric_.reception(node_, packet.reception);
  (reception.head == kNoPacket ? reception.head : pool_[reception.tail].next) = id;
  reception.tail = id;
  latencies_.add(now_ - packet.injected);
  tally_.bytes += std::uint64_t{packet.steps} * fabric_.network().packet_step;
  Adapter adapter(*this);
  processors_.received(adapter, packet.reception);
}

void Worker::enqueue(std::uint32_t number, PacketId id) {
  Queue& queue = queues_[number];
  pool_[id].next = kNoPacket;
  if (queue.head != kNoPacket) {
    pool_[queue.tail].next = id;
    queue.tail = id;
    ++queue.waiting;
    return;
  }
  queue.head = queue.tail = id;
  queue.waiting = 1;
  if ((router_->streaming & bit(number)) == 0) show_head(number);
}

/// The first packet of a queue asks for links, or for a place in its reception FIFO.
void Worker::show_head(std::uint32_t number) {
  Queue& queue = queues_[number];
  queue.wanted = ports_wanted(pool_[queue.head], fabric_.shape().dimensions());
  if (queue.wanted == 0) {
    deliver(number);
    return;
  }
  contended_ = true;
  for_each_bit(queue.wanted, [&](Port port) { links_[port].requesters |= bit(number); });
}

void Worker::withdraw_head(std::uint32_t number) {
  for_each_bit(queues_[number].wanted, [&](Port port) {
    Link& link = links_[port];
    link.requesters &= ~bit(number);
    if (link.requesters == 0 && link.stalled_since != kNever) {
      link.stalled += now_ - link.stalled_since;
      link.stalled_since = kNever;
    }
  });
}

void Worker::deliver(std::uint32_t number) {
  Queue& queue = queues_[number];
  const Packet& packet = pool_[queue.head];
  Reception& reception = fabric_.reception(node_, packet.reception);
  const std::uint32_t places = fabric_.network().reception_packets;
  if (places != 0 && reception.taken == places) {
    router_->blocked |= bit(number);
    return;
  }
  ++reception.taken;
  queue.leaving = queue.head;
  stream_out(number, fabric_.wire_time(packet.steps));
}

/// A place in a reception FIFO became free.
void Worker::admit_blocked() {
  const std::uint64_t blocked = router_->blocked;
  router_->blocked = 0;
  for (const std::uint64_t half : {blocked & ~(bit(router_->turn) - 1), blocked & (bit(router_->turn) - 1)}) {
    for_each_bit(half, [&](std::uint32_t number) { deliver(number); });
  }
}

/// Lets packets go while links and tokens allow it. Queues take turns; each takes the way with the most tokens.
void Worker::arbitrate() {
  contended_ = false;
  const std::uint32_t ports = fabric_.shape().ports();
  std::uint32_t free_links = 0;
  std::uint64_t asking = 0;
  for (Port port = 0; port < ports; ++port) {
    if (links_[port].requesters == 0 || links_[port].busy_until > now_) continue;
    free_links |= 1U << port;
    asking |= links_[port].requesters;
  }
  if (asking == 0) return;
  const std::uint64_t later = bit(router_->turn) - 1;
  for (std::uint64_t half : {asking & ~later, asking & later}) {
    for (; half != 0 && free_links != 0; half &= half - 1) {
      const auto number = static_cast<std::uint32_t>(std::countr_zero(half));
      const std::uint32_t offered = queues_[number].wanted & free_links;
      if (offered == 0 || !try_to_send(number, offered)) continue;
      for_each_bit(offered, [&](Port port) {
        if (links_[port].busy_until > now_) free_links &= ~(1U << port);
      });
      router_->turn = static_cast<std::uint8_t>((number + 1) % 64);
    }
  }
  for_each_bit(free_links, [&](Port port) { note_stall(links_[port]); });
}

void Worker::note_stall(Link& link) {
  if (link.requesters != 0 && link.stalled_since == kNever) link.stalled_since = now_;
}

bool Worker::try_to_send(std::uint32_t number, std::uint32_t offered) {
  const Queue& queue = queues_[number];
  const Packet& packet = pool_[queue.head];
  const std::int16_t steps = packet.steps;
  const std::uint32_t escape = fabric_.channels() - 1;
  if (packet.routing == Routing::kAdaptive) {
    std::int16_t most = static_cast<std::int16_t>(steps - 1);
    std::uint32_t best = 0;
    for_each_bit(offered, [&](Port port) {
      for (std::uint32_t channel = 0; channel < escape; ++channel) {
        if (links_[port].tokens[channel] <= most) continue;
        most = links_[port].tokens[channel];
        best = (port << 8U) | channel;
      }
    });
    if (most >= steps) {
      send(number, best >> 8U, best & 0xFFU);
      return true;
    }
  }
  const auto port = static_cast<Port>(std::countr_zero(queue.wanted));  // dimension order
  if ((offered >> port & 1U) == 0) return false;
  const std::uint32_t bubble = enters_ring(number, port) ? fabric_.network().largest_steps() : 0;
  if (links_[port].tokens[escape] < static_cast<std::int32_t>(steps + bubble)) return false;
  send(number, port, escape);
  return true;
}

/// Whether a packet of this queue comes into the escape channels of a ring from outside.
bool Worker::enters_ring(std::uint32_t number, Port port) const {
  if (number >= fabric_.channel_queues()) return true;
  const std::uint32_t escape = fabric_.channels() - 1;
  return number / fabric_.channels() != port || number % fabric_.channels() != escape;
}

/// Queue `port * channels + channel` of a node holds what came over the link that the neighbour calls `port`: it
/// goes on in the same direction by the port of the same name.
void Worker::send(std::uint32_t number, Port port, std::uint32_t channel) {
  const Queue& queue = queues_[number];
  Link& link = links_[port];
  const PacketId id = queue.head;
  Packet& packet = pool_[id];
  withdraw_head(number);
  if (link.stalled_since != kNever) {
    link.stalled += now_ - link.stalled_since;
    link.stalled_since = kNever;
  }
  packet.hops[port / 2] = static_cast<std::int16_t>(packet.hops[port / 2] + (port % 2 == 0 ? -1 : 1));
  link.tokens[channel] = static_cast<std::int16_t>(link.tokens[channel] - packet.steps);
  const Cycles wire = fabric_.wire_time(packet.steps);
  link.busy_until = now_ + wire;
  link.busy += wire;
  ++link.packets;
  ++tally_.packet_hops;

  const Cycles at = now_ + fabric_.network().hop_latency;
  const std::uint32_t inbox = fabric_.window_of(at);
  std::uint8_t& count = fabric_.arrival_counts(link.neighbour, inbox)[port];
  fabric_.arrivals(link.neighbour, inbox, port)[count++] = {
      at, id, static_cast<std::uint16_t>((port * fabric_.channels()) + channel)};
  fabric_.call(link.neighbour, at, window_);
  stream_out(number, wire);
}

/// The first packet leaves its queue, as long as it takes. Its tokens go back when the tail has left.
void Worker::stream_out(std::uint32_t number, Cycles duration) {
  Queue& queue = queues_[number];
  const Packet& packet = pool_[queue.head];
  queue.head = packet.next;
  --queue.waiting;
  queue.free_at = now_ + duration;
  router_->streaming |= bit(number);
  ++tally_.moves;
  if (queue.free_at >= end_) fabric_.call(node_, queue.free_at, window_);
  if (number >= fabric_.channel_queues()) return;
  const Port port = number / fabric_.channels();
  const Node sender = links_[opposite(port)].neighbour;
  const Cycles at = queue.free_at + fabric_.network().hop_latency;
  const std::uint32_t inbox = fabric_.window_of(at);
  std::int16_t& tokens = fabric_.tokens(sender, inbox)[number];
  tokens = static_cast<std::int16_t>(tokens + packet.steps);
  fabric_.call(sender, at, window_);
}

std::uint32_t Adapter::injecting(std::uint32_t fifo) const {
  const std::uint32_t number = worker_.fabric_.injection_queue(fifo);
  return worker_.queues_[number].waiting + ((worker_.router_->streaming >> number & 1U) != 0 ? 1U : 0U);
}

void Adapter::inject(std::uint32_t fifo, PacketId id) {
  worker_.pool_[id].injected = worker_.now_;
  ++worker_.tally_.injected;
  worker_.enqueue(worker_.fabric_.injection_queue(fifo), id);
}

PacketId Adapter::receive(std::uint32_t fifo) {
  Reception& reception = worker_.fabric_.reception(worker_.node_, fifo);
  const PacketId id = reception.head;
  if (id == kNoPacket) return id;
  reception.head = worker_.pool_[id].next;
  ++worker_.tally_.received;
  return id;
}

void Adapter::free_place(std::uint32_t fifo) {
  --worker_.fabric_.reception(worker_.node_, fifo).taken;
  if (worker_.router_->blocked != 0) worker_.admit_blocked();
}

void Adapter::wake_at(Cycles time) {
  Router& router = *worker_.router_;
  if (router.wake_at == kNever && time != kNever) ++worker_.tally_.timers;
  if (router.wake_at != kNever && time == kNever) --worker_.tally_.timers;
  router.wake_at = time;
}

}  // namespace groma::sim::torus
