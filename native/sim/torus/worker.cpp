#include "sim/torus/worker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "sim/torus/bits.hpp"

namespace groma::sim::torus {
namespace {

void sort_arrivals(std::span<Arrival> arrivals) {
  constexpr std::size_t kFew = 8;  // as nearly always: inserted in place
  if (arrivals.size() > kFew) {
    std::ranges::sort(arrivals, {}, &Arrival::order);
    return;
  }
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    for (std::size_t place = i; place != 0 && arrivals[place].order() < arrivals[place - 1].order();
         --place) {
      std::swap(arrivals[place], arrivals[place - 1]);
    }
  }
}

}  // namespace

// What each hop of a packet runs through is inline: GCC takes more of it into the visit of a node then.

Worker::Worker(Fabric& fabric, PacketPool& pool, Processors& processors, Node first, Node last)
    : fabric_(fabric),
      pool_(pool),
      packets_(pool),
      processors_(processors),
      far_calls_(first, last),
      first_(first),
      last_(last),
      prefetcher_(fabric, pool, processors),
      escape_(fabric.channels() - 1) {
  for (std::uint32_t queue = 0; queue < kMaxQueues; ++queue) {
    kinds_[queue] = {queue / fabric.channels(), queue >= fabric.channel_queues(),
                     queue % fabric.channels() == escape_};
  }
}

inline void Worker::enter(Node node, std::uint64_t window) {
  node_ = node;
  window_ = window;
  now_ = begin_ = static_cast<Cycles>(window) * fabric_.window();
  end_ = now_ + fabric_.window();
  state_ = fabric_.state(node);
  router_ = &fabric_.router(state_);
  tokens_ = fabric_.tokens(state_);
}

void Worker::start(Node node) {
  enter(node, 0);
  contended_ = false;
  Adapter adapter(*this);
  processors_.start(adapter);
  if (contended_) arbitrate();  // notes which links are asked for
  fabric_.call(node, 0);
}

void Worker::visit_called(std::uint64_t window, bool prefetches) {
  called_.clear();
  far_calls_.take(window, [&](Node node) { fabric_.call(node, window); });
  fabric_.take_calls(window, first_word(), last_word(), called_);
  tally_.visits += called_.size();
  if (prefetches) {
    prefetch_then_visit(window);
  } else {
    for (const Node node : called_) visit(node, window);
  }
}

void Worker::prefetch_then_visit(std::uint64_t window) {
  constexpr std::size_t kAhead = 4;  // visits from stage to stage: longer than memory takes
  prefetcher_.enter(window, usual_steps_);
  const std::size_t count = called_.size();
  for (std::size_t i = 0; i < count + (3 * kAhead); ++i) {
    if (i < count) prefetcher_.prefetch_router(called_[i]);
    // A place before the first is a very large number.
    if (i - kAhead < count) prefetcher_.prefetch_arrivals(called_[i - kAhead]);
    if (i - (2 * kAhead) < count) prefetcher_.prefetch_ways(called_[i - (2 * kAhead)]);
    if (i - (3 * kAhead) < count) visit(called_[i - (3 * kAhead)], window);
  }
}

std::uint64_t Worker::next_called(std::uint64_t window) const {
  const std::uint64_t near = fabric_.next_called(window, first_word(), last_word());
  return std::min(near, far_calls_.next());
}

void Worker::visit(Node node, std::uint64_t window) {
  enter(node, window);
  refilled_ = 0;
  collected_ = false;
  if (router_->requested != 0) {
    collect_tokens();
    note_refilled();
  } else if (fabric_.collection_of(window) == window) {
    collect_tokens();
  }
  collect_arrivals();
  contended_ = refilled_ != 0;
  --now_;
  Cycles next = contended_ ? begin_ : next_event();
  for (; next < end_; next = next_event()) {
    now_ = next;
    step();
  }
  if (now_ >= begin_) latest_ = std::max(latest_, now_);
  call(next);
}

/// All that happens at one time.
inline void Worker::step() {
  if (router_->next_tail == now_) finish_streams();
  for (; arrived_ < arrivals_end_ && arrivals_[arrived_].after == now_ - begin_; ++arrived_) {
    enqueue(arrivals_[arrived_].queue, arrivals_[arrived_].packet);
  }
  if (router_->wake_at <= now_) {
    router_->wake_at = kNever;
    --tally_.timers;
    Adapter adapter(*this);
    processors_.wake(adapter);
  }
  if (contended_) arbitrate();
}

/// Has this node visited at a time beyond this window, if it is one.
inline void Worker::call(Cycles at) {
  if (at == kNever) return;
  const std::uint64_t window = fabric_.window_of(at);
  if (fabric_.is_far(window, window_)) {
    far_calls_.add(node_, window);
  } else {
    fabric_.call(node_, window);
  }
}

inline void Worker::call_neighbour(Node node, std::uint64_t window) {
  if (is_mine(node)) {
    fabric_.call(node, window);
  } else {
    fabric_.call_foreign(node, window);
  }
}

/// The tokens of a window count from its begin on. They are collected when a packet may need them, or in the
/// last window of their group.
void Worker::collect_tokens() {
  using Eight = std::uint64_t __attribute__((may_alias));
  using Bytes = std::uint8_t __attribute__((vector_size(Fabric::kTokensTogether)));
  using Tokens = std::int16_t __attribute__((vector_size(2 * Fabric::kTokensTogether), may_alias));
  const std::uint64_t until = std::max(router_->tokens_until, fabric_.collected_from(window_));
  router_->tokens_until = window_ + 1;
  refilled_queues_ = 0;
  auto* first = reinterpret_cast<Eight*>(fabric_.returned(state_, until));
  const auto* last = reinterpret_cast<Eight*>(fabric_.returned(state_, window_));
  auto* tokens = reinterpret_cast<Tokens*>(tokens_);
  const std::size_t row = fabric_.token_row() / Fabric::kTokensTogether;
  for (std::size_t eight = 0; eight < row; ++eight) {
    std::uint64_t returned = 0;  // eight sums: none is larger than a byte in a group of windows
    for (Eight* place = first + eight; place <= last + eight; place += row) {
      returned += *place;
      *place = 0;
    }
    tokens[eight] += __builtin_convertvector(std::bit_cast<Bytes>(returned), Tokens);
    refilled_queues_ |= nonzero_bytes(returned) << (eight * Fabric::kTokensTogether);
  }
  collected_ = true;
}

inline void Worker::note_refilled() {
  const std::uint64_t of_port = bit(fabric_.channels()) - 1;
  for_each_bit(refilled_queues_ != 0 ? router_->requested : 0, [&](Port port) {
    if ((refilled_queues_ >> (port * fabric_.channels()) & of_port) != 0) refilled_ |= 1U << port;
  });
}

inline void Worker::collect_arrivals() {
  arrived_ = 0;
  arrivals_end_ = 0;
  const std::uint64_t ports = fabric_.arriving(state_, window_);
  if (ports == 0) return;
  std::uint8_t* counts = fabric_.arrival_counts(state_, window_);
  std::size_t end = 0;
  for_each_bit(ports, [&](Port port) {
    const Arrival* from = fabric_.arrivals(state_, window_, port);
    const std::uint32_t count = std::exchange(counts[port], std::uint8_t{0});
    for (std::uint32_t i = 0; i < count; ++i) arrivals_[end++] = from[i];
  });
  arrivals_end_ = end;
  sort_arrivals({arrivals_.data(), end});
}

/// Also notes whether a link becomes free then that somebody asks for.
inline Cycles Worker::next_event() {
  const Cycles arrival = arrived_ < arrivals_end_ ? begin_ + arrivals_[arrived_].after : kNever;
  const Cycles link = router_->next_link;
  const Cycles next = std::min(std::min(link, router_->next_tail), std::min(arrival, router_->wake_at));
  contended_ = link == next;
  return next;
}

/// Has the queue looked at when what streams out of it has left.
inline void Worker::await_tail(std::uint32_t number) {
  router_->pending |= bit(number);
  router_->next_tail = std::min(router_->next_tail, queue_of(number).free_at);
}

/// Tails that leave now: their queues show the next packet, and what came out of the network is received.
inline void Worker::finish_streams() {
  std::uint64_t due = 0;
  Cycles next = kNever;
  for_each_bit(router_->pending, [&](std::uint32_t number) {
    const Cycles free_at = queue_of(number).free_at;
    const bool now = free_at == now_;
    due |= now ? bit(number) : 0;
    next = std::min(next, now ? kNever : free_at);
  });
  router_->next_tail = next;
  Adapter adapter(*this);
  for_each_bit(due, [&](std::uint32_t number) {
    Queue& queue = queue_of(number);
    router_->pending &= ~bit(number);
    const PacketId complete = std::exchange(queue.leaving, kNoPacket);
    if (queue.head != kNoPacket) show_head(number);
    if (complete != kNoPacket) receive(complete);
    if (kinds_[number].injects) processors_.injected(adapter, number - fabric_.channel_queues());
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

inline void Worker::enqueue(std::uint32_t number, PacketId id) {
  Queue& queue = queue_of(number);
  pool_[id].next = kNoPacket;
  ++queue.waiting;
  if (queue.head != kNoPacket) {
    pool_[queue.tail].next = id;
    queue.tail = id;
    return;
  }
  queue.head = queue.tail = id;
  if ((router_->pending & bit(number)) != 0) return;
  if (queue.free_at <= now_) {
    show_head(number);
  } else {
    await_tail(number);
  }
}

/// The first packet of a queue goes where it can at once, else asks for links or for a place in its reception
/// FIFO.
inline void Worker::show_head(std::uint32_t number) {
  Queue& queue = queue_of(number);
  queue.wanted = ports_wanted(pool_[queue.head]);
  if (queue.wanted == 0) {
    deliver(number);
    return;
  }
  std::uint32_t idle = 0;  // and not asked for by others, who came before
  for_each_bit(queue.wanted & ~router_->requested, [&](Port port) {
    if (link_of(port).busy_until <= now_) idle |= 1U << port;
  });
  if (idle == 0 || try_to_send(number, idle) == kNoPort) request_links(number);
}

inline void Worker::request_links(std::uint32_t number) {
  const Queue& queue = queue_of(number);
  contended_ = true;
  router_->requested |= queue.wanted;
  for_each_bit(queue.wanted, [&](Port port) { link_of(port).requesters |= bit(number); });
}

inline void Worker::withdraw_head(std::uint32_t number) {
  for_each_bit(queue_of(number).wanted & router_->requested, [&](Port port) {
    Link& link = link_of(port);
    link.requesters &= ~bit(number);
    if (link.requesters != 0) return;
    router_->requested &= static_cast<std::uint16_t>(~(1U << port));
    end_stall(port);  // who asks next looks for tokens again
  });
}

inline void Worker::end_stall(Port port) {
  std::uint16_t& starving = fabric_.starving(node_);
  if ((starving >> port & 1U) == 0) return;
  starving &= static_cast<std::uint16_t>(~(1U << port));
  Stall& stall = fabric_.stall(node_, port);
  stall.before += now_ - stall.since;
  stall.since = kNever;
}

void Worker::deliver(std::uint32_t number) {
  Queue& queue = queue_of(number);
  const Packet& packet = pool_[queue.head];
  Reception& reception = fabric_.reception(node_, packet.reception);
  const std::uint32_t places = fabric_.network().reception_packets;
  if (places != 0 && reception.taken == places) {
    fabric_.blocked(state_) |= bit(number);
    return;
  }
  ++reception.taken;
  queue.leaving = queue.head;
  stream_out(number, fabric_.wire_time(packet.steps));
}

/// A place in a reception FIFO became free. The queues that wait for it take turns.
void Worker::admit(std::uint32_t fifo) {
  Reception& reception = fabric_.reception(node_, fifo);
  const std::uint64_t later = bit(reception.turn) - 1;
  for (std::uint64_t half : {fabric_.blocked(state_) & ~later, fabric_.blocked(state_) & later}) {
    for (; half != 0; half &= half - 1) {
      const auto number = static_cast<std::uint32_t>(std::countr_zero(half));
      if (pool_[queue_of(number).head].reception != fifo) continue;
      fabric_.blocked(state_) &= ~bit(number);
      reception.turn = static_cast<std::uint8_t>((number + 1) % kMaxQueues);
      deliver(number);
      return;
    }
  }
}

/// Lets packets go while links and tokens allow it. A packet that may take several links takes the one with
/// the most tokens.
void Worker::arbitrate() {
  contended_ = false;
  std::uint32_t idle = 0;
  for_each_bit(router_->requested, [&](Port port) {
    if (link_of(port).busy_until <= now_) idle |= 1U << port;
  });
  if (!collected_) collect_tokens();
  Offer open = offer(idle);
  for_each_bit(open.takers != 0 ? idle : 0, [&](Port port) {
    std::uint64_t asking = link_of(port).requesters & open.takers;
    while (asking != 0 && (idle >> port & 1U) != 0) {
      const std::uint32_t number = most_pressing(asking, link_of(port).turn);
      asking &= ~bit(number);
      const Port taken = try_to_send(number, queue_of(number).wanted & idle);
      if (taken == kNoPort) continue;
      idle &= ~(1U << taken);
      open = offer(open.links & idle);
      asking &= open.takers;
    }
  });
  const std::uint32_t announced = fabric_.starving(node_) & ~refilled_;
  for_each_bit(idle & router_->requested & ~announced, [&](Port port) { starve(port); });
  router_->next_link = kNever;
  for_each_bit(router_->requested, [&](Port port) {
    const Cycles busy_until = link_of(port).busy_until;
    if (busy_until > now_) router_->next_link = std::min(router_->next_link, busy_until);
  });
}

/// Those of the links that have tokens, and the queues for which these may do. On links that are full most
/// find none.
Worker::Offer Worker::offer(std::uint32_t links) const {
  const auto bubble = static_cast<std::int32_t>(fabric_.network().largest_steps());
  Offer offer;
  for_each_bit(links, [&](Port port) {
    const std::uint32_t first = port * fabric_.channels();
    const std::int16_t* tokens = &tokens_[first];
    std::uint64_t takers = link_of(port).requesters;
    if (std::none_of(tokens, tokens + escape_, [](std::int16_t count) { return count > 0; })) {
      if (tokens[escape_] <= 0) return;
      if (tokens[escape_] <= bubble) takers &= bit(first + escape_);  // of the ring itself
      if (takers != 0) takers &= ~requesters_before(port);
    }
    offer.links |= 1U << port;
    offer.takers |= takers;
  });
  return offer;
}

/// Queues whose first packet may take a link of an earlier dimension.
std::uint64_t Worker::requesters_before(Port port) const {
  std::uint64_t requesters = 0;
  for_each_bit(router_->requested & (bit(port) - 1),
               [&](Port earlier) { requesters |= link_of(earlier).requesters; });
  return requesters;
}

/// Packets under way come before new ones, the longest queue before shorter ones: else a network that is
/// full carries less than one that is not. Equal ones take turns.
std::uint32_t Worker::most_pressing(std::uint64_t asking, std::uint32_t turn) const {
  std::uint32_t best = 0;
  std::int32_t most = -1;
  const std::uint64_t later = bit(turn) - 1;
  for (const std::uint64_t half : {asking & ~later, asking & later}) {
    for_each_bit(half, [&](std::uint32_t number) {
      const std::int32_t pressing = kinds_[number].injects ? 0 : std::int32_t{queue_of(number).waiting};
      if (pressing <= most) return;
      most = pressing;
      best = number;
    });
  }
  return best;
}

/// A link stands still for want of tokens. Those that come later are announced; those on their way are looked
/// for. What a neighbour of another thread sends is always announced.
void Worker::starve(Port port) {
  std::uint16_t& starving = fabric_.starving(node_);
  if ((starving >> port & 1U) == 0) {
    starving |= static_cast<std::uint16_t>(1U << port);
    fabric_.stall(node_, port).since = now_;
  }
  if (!is_mine(link_of(port).next)) return;
  const std::uint64_t last = window_ + fabric_.token_flight();
  for (std::uint64_t window = window_ + 1; window <= last; ++window) {
    const std::uint8_t* tokens = fabric_.returned(node_, window) + (std::size_t{port} * fabric_.channels());
    if (std::any_of(tokens, tokens + fabric_.channels(), [](std::uint8_t count) { return count != 0; })) {
      fabric_.call(node_, window);
      return;
    }
  }
}

/// The link by which the first packet of a queue went, or kNoPort. Tokens are looked at before the packet:
/// where there are none, as on links that are full, it need not be fetched from memory.
Port Worker::try_to_send(std::uint32_t number, std::uint32_t offered) {
  if (!collected_) collect_tokens();
  std::int32_t most = 0;
  Port best = 0;
  std::uint32_t best_channel = 0;
  for_each_bit(offered, [&](Port port) {
    for (std::uint32_t channel = 0; channel < escape_; ++channel) {
      const std::int16_t tokens = tokens_[(port * fabric_.channels()) + channel];
      if (tokens <= most) continue;
      most = tokens;
      best = port;
      best_channel = channel;
    }
  });
  const Queue& queue = queue_of(number);
  const auto first = static_cast<Port>(std::countr_zero(queue.wanted));  // in the order of dimensions
  std::int32_t escape = 0;
  if ((offered >> first & 1U) != 0) {
    const std::uint32_t bubble = enters_ring(number, first) ? fabric_.network().largest_steps() : 0;
    escape = tokens_[(first * fabric_.channels()) + escape_] - static_cast<std::int32_t>(bubble);
  }
  if (most <= 0 && escape <= 0) return kNoPort;
  const Packet& packet = pool_[queue.head];
  const std::int32_t steps = packet.steps;
  if (most >= steps && packet.routing == Routing::kAdaptive) {
    send(number, best, best_channel);
    return best;
  }
  if (escape < steps) return kNoPort;
  send(number, first, escape_);
  return first;
}

/// Whether a packet of this queue comes into the escape channels of a ring from outside.
inline bool Worker::enters_ring(std::uint32_t number, Port port) const {
  const QueueKind& kind = kinds_[number];
  return kind.injects || !kind.escapes || kind.port != port;
}

/// Queue `port * channels + channel` of a node holds what came over the link that the neighbour calls `port`:
/// it goes on in the same direction by the port of the same name.
inline void Worker::send(std::uint32_t number, Port port, std::uint32_t channel) {
  const PacketId id = queue_of(number).head;
  Packet& packet = pool_[id];
  Link& link = link_of(port);
  withdraw_head(number);
  end_stall(port);
  packet.hops[port / 2] = static_cast<std::int16_t>(packet.hops[port / 2] + (port % 2 == 0 ? -1 : 1));
  std::int16_t& tokens = tokens_[(port * fabric_.channels()) + channel];
  tokens = static_cast<std::int16_t>(tokens - packet.steps);
  const Cycles wire = fabric_.wire_time(packet.steps);
  link.busy_until = now_ + wire;
  link.busy += wire;
  ++link.packets;
  link.turn = static_cast<std::uint8_t>((number + 1) % kMaxQueues);
  ++tally_.packet_hops;
  usual_steps_ = packet.steps;

  const Cycles at = now_ + fabric_.network().hop_latency;
  const std::uint64_t window = fabric_.window_of(at);
  std::uint8_t& count = fabric_.arrival_counts(link.next, window)[port];
  fabric_.arrivals(link.next, window, port)[count++] = {
      id, static_cast<std::uint16_t>((port * fabric_.channels()) + channel),
      static_cast<std::uint16_t>(at & (fabric_.window() - 1))};
  call_neighbour(link.next, window);
  stream_out(number, wire);
}

/// The first packet leaves its queue, as long as it takes.
inline void Worker::stream_out(std::uint32_t number, Cycles duration) {
  Queue& queue = queue_of(number);
  const Packet& packet = pool_[queue.head];
  queue.head = packet.next;
  --queue.waiting;
  queue.free_at = now_ + duration;
  ++tally_.moves;
  if (queue.head != kNoPacket || queue.leaving != kNoPacket || kinds_[number].injects) await_tail(number);
  if (!kinds_[number].injects)
    return_tokens(number, packet.steps, queue.free_at + fabric_.network().hop_latency);
}

/// Tokens of a packet go back to the sender when its tail has left. It has to collect them in time; if it
/// waits for them, it is called at once as well.
inline void Worker::return_tokens(std::uint32_t number, std::uint32_t steps, Cycles at) {
  const Port port = kinds_[number].port;
  const Node sender = link_of(port).last;
  const std::uint64_t window = fabric_.window_of(at);
  std::uint8_t& tokens = fabric_.returned(sender, window)[number];
  tokens = static_cast<std::uint8_t>(tokens + steps);
  call_neighbour(sender, fabric_.collection_of(window));
  const bool waits = !is_mine(sender) || (fabric_.starving(sender) >> port & 1U) != 0;
  if (waits) call_neighbour(sender, window);
}

std::uint32_t Adapter::injecting(std::uint32_t fifo) const {
  const std::uint32_t number = worker_.fabric_.injection_queue(fifo);
  const Queue& queue = worker_.queue_of(number);
  const bool leaves = queue.free_at > worker_.now_ || (worker_.router_->pending >> number & 1U) != 0;
  return queue.waiting + (leaves ? 1U : 0U);
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
  if (worker_.fabric_.blocked(worker_.state_) != 0) worker_.admit(fifo);
}

void Adapter::wake_at(Cycles time) {
  Router& router = *worker_.router_;
  if (router.wake_at == kNever && time != kNever) ++worker_.tally_.timers;
  if (router.wake_at != kNever && time == kNever) --worker_.tally_.timers;
  router.wake_at = time;
}

}  // namespace groma::sim::torus
