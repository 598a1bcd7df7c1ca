#include "sim/torus/worker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
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

Worker::Worker(Fabric& fabric, PacketPool& pool, Processors& processors, Node first, Node last,
               bool prefetches)
    : fabric_(fabric),
      pool_(pool),
      packets_(pool),
      processors_(processors),
      far_calls_(first, last),
      first_(first),
      last_(last),
      prefetches_(prefetches),
      escape_(fabric.channels() - 1) {
  for (std::uint32_t queue = 0; queue < kMostQueues; ++queue) {
    kinds_[queue] = {queue / fabric.channels(), queue >= fabric.channel_queues(),
                     queue % fabric.channels() == escape_};
  }
}

void Worker::enter(Node node, std::uint64_t window) {
  node_ = node;
  window_ = window;
  now_ = begin_ = static_cast<Cycles>(window) * fabric_.window();
  end_ = now_ + fabric_.window();
  router_ = &fabric_.router(node);
  links_ = fabric_.links(node);
  queues_ = fabric_.queues(node);
  tokens_ = fabric_.tokens(node);
  neighbours_ = fabric_.neighbours(node);
}

void Worker::start(Node node) {
  enter(node, 0);
  Adapter adapter(*this);
  processors_.start(adapter);
  fabric_.call(node, 0);
}

void Worker::visit_called(std::uint64_t window) {
  called_.clear();
  far_calls_.take(window, [&](Node node) { fabric_.call(node, window); });
  fabric_.take_calls(window, first_word(), last_word(), called_);
  tally_.visits += called_.size();
  if (prefetches_) {
    prefetch_then_visit(window);
  } else {
    for (const Node node : called_) visit(node, window);
  }
}

/// The memory of a node is cold when its turn comes, because all others were visited in between. It is
/// prefetched in three stages, each of which reads what the one before brought: the inbox with the queues,
/// the packets there, and what those need to go on.
void Worker::prefetch_then_visit(std::uint64_t window) {
  constexpr std::size_t kAhead = 4;  // visits from stage to stage: longer than memory takes
  const auto on = [&](std::size_t place, auto use) {
    if (place < called_.size()) use(called_[place]);  // a place before the first is a very large number
  };
  for (std::size_t i = 0; i < called_.size() + (3 * kAhead); ++i) {
    on(i, [&](Node node) { fabric_.prefetch_node(node, window); });
    on(i - kAhead, [&](Node node) { prefetch_packets(node, window); });
    on(i - (2 * kAhead), [&](Node node) { prefetch_ways(node, window); });
    on(i - (3 * kAhead), [&](Node node) { visit(node, window); });
  }
}

std::uint64_t Worker::next_called(std::uint64_t window) const {
  const std::uint64_t near = fabric_.next_called(window, first_word(), last_word());
  return std::min(near, far_calls_.next());
}

/// Calls `use` with each queue whose first packet may go now, because the one before it leaves.
template <class Use>
void Worker::for_each_head(Node node, std::uint64_t window, Use use) {
  const Cycles end = static_cast<Cycles>(window + 1) * fabric_.window();
  for_each_bit(fabric_.router(node).pending, [&](std::uint32_t number) {
    const Queue& queue = fabric_.queues(node)[number];
    if (queue.free_at < end) use(number, queue);
  });
}

/// Packets that arrive, and those that come to the front of their queues.
void Worker::prefetch_packets(Node node, std::uint64_t window) {
  for_each_port(fabric_.arrival_counts(node, window),
                [&](Port port) { prefetch(&pool_[fabric_.arrivals(node, window, port)->packet]); });
  for_each_head(node, window, [&](std::uint32_t /*number*/, const Queue& queue) {
    if (queue.head != kNoPacket) prefetch(&pool_[queue.head]);
    if (queue.leaving != kNoPacket) prefetch(&pool_[queue.leaving]);
  });
  if (!wakes(node, window)) return;
  processors_.prefetch_state(node);
  for (std::uint32_t fifo = 0; fifo < fabric_.receptions(); ++fifo) prefetch(&fabric_.reception(node, fifo));
}

bool Worker::wakes(Node node, std::uint64_t window) {
  return fabric_.window_of(fabric_.router(node).wake_at) <= window;
}

/// Where packets go that may go now, and where their tokens go back to; packets that the processors read.
void Worker::prefetch_ways(Node node, std::uint64_t window) {
  for_each_bit(fabric_.router(node).requested, [&](Port port) { prefetch(fabric_.links(node) + port); });
  for_each_port(fabric_.arrival_counts(node, window), [&](Port port) {
    const Arrival& arrival = *fabric_.arrivals(node, window, port);
    prefetch_way(node, pool_[arrival.packet], kinds_[arrival.queue], window);
  });
  for_each_head(node, window, [&](std::uint32_t number, const Queue& queue) {
    if (queue.head != kNoPacket) prefetch_way(node, pool_[queue.head], kinds_[number], window);
  });
  if (!wakes(node, window)) return;
  processors_.prefetch_packets(node, pool_);
  for (std::uint32_t fifo = 0; fifo < fabric_.receptions(); ++fifo) {
    const PacketId head = fabric_.reception(node, fifo).head;
    if (head != kNoPacket) prefetch(&pool_[head]);
  }
}

void Worker::prefetch_way(Node node, const Packet& packet, const QueueKind& from, std::uint64_t window) {
  const std::uint16_t wanted = ports_wanted(packet, fabric_.shape().dimensions());
  for_each_bit(wanted, [&](Port port) { fabric_.prefetch_link(node, port, window); });
  if (wanted == 0) prefetch(&fabric_.reception(node, packet.reception));
  if (!from.injects) fabric_.prefetch_returned(node, from.port, packet.steps, window);
}

/// Calls `use` for each port that has a count.
template <class Use>
void Worker::for_each_port(const std::uint8_t* counts, Use use) const {
  for (std::size_t first = 0; first < fabric_.arrival_row(); first += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, counts + first, sizeof eight);
    while (eight != 0) {
      const auto byte = static_cast<std::size_t>(std::countr_zero(eight)) / 8;
      eight &= ~(std::uint64_t{0xFF} << (8 * byte));
      use(static_cast<Port>(first + byte));
    }
  }
}

void Worker::visit(Node node, std::uint64_t window) {
  enter(node, window);
  collect_tokens();
  collect_arrivals();
  contended_ = (router_->requested & refilled_) != 0;
  --now_;
  Cycles next = contended_ ? begin_ : next_event();
  for (; next < end_; next = next_event()) {
    now_ = next;
    step();
  }
  call(next);
}

/// All that happens at one time.
void Worker::step() {
  if (router_->pending != 0) finish_streams();
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
void Worker::call(Cycles at) {
  if (at == kNever) return;
  const std::uint64_t window = fabric_.window_of(at);
  if (fabric_.is_far(window, window_)) {
    far_calls_.add(node_, window);
  } else {
    fabric_.call(node_, window);
  }
}

void Worker::call_neighbour(Node node, std::uint64_t window) {
  if (is_mine(node)) {
    fabric_.call(node, window);
  } else {
    fabric_.call_foreign(node, window);
  }
}

/// The tokens of a window count from its begin on. Older ones than those that may still wait were collected
/// when the node was called for them; their places hold tokens of windows to come.
void Worker::collect_tokens() {
  const std::uint64_t kept = fabric_.longest_wait();
  std::uint64_t window = std::max(router_->tokens_until, window_ > kept ? window_ - kept : 0);
  router_->tokens_until = window_ + 1;
  refilled_ = 0;
  for (; window <= window_; ++window) {
    std::int16_t* row = fabric_.returned(node_, window);
    for (std::size_t first = 0; first < fabric_.token_row(); first += 4) {
      std::uint64_t four = 0;
      std::memcpy(&four, row + first, sizeof four);
      if (four == 0) continue;
      // No number is negative or exceeds what a channel holds: none carries into the next.
      std::uint64_t tokens = 0;
      std::memcpy(&tokens, tokens_ + first, sizeof tokens);
      tokens += four;
      std::memcpy(tokens_ + first, &tokens, sizeof tokens);
      std::memset(row + first, 0, sizeof four);
      for (; four != 0; four &= four - 1) {
        refilled_ |= 1U << kinds_[first + (static_cast<std::size_t>(std::countr_zero(four)) / 16)].port;
      }
    }
  }
}

void Worker::collect_arrivals() {
  arrived_ = 0;
  arrivals_end_ = 0;
  std::uint8_t* counts = fabric_.arrival_counts(node_, window_);
  for_each_port(counts, [&](Port port) {
    const Arrival* from = fabric_.arrivals(node_, window_, port);
    for (; counts[port] != 0; --counts[port]) arrivals_[arrivals_end_++] = *from++;
  });
  if (arrivals_end_ < 2) return;
  std::sort(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(arrivals_end_),
            [](const Arrival& a, const Arrival& b) {
              return a.after != b.after ? a.after < b.after : a.queue < b.queue;
            });
}

/// Also notes whether a link becomes free then that somebody asks for.
Cycles Worker::next_event() {
  Cycles link = kNever;
  for_each_bit(router_->requested, [&](Port port) {
    if (links_[port].busy_until > now_) link = std::min(link, links_[port].busy_until);
  });
  Cycles next = std::min(link, router_->wake_at);
  if (arrived_ < arrivals_end_) next = std::min(next, begin_ + arrivals_[arrived_].after);
  for_each_bit(router_->pending, [&](std::uint32_t queue) { next = std::min(next, queues_[queue].free_at); });
  contended_ = link == next;
  return next;
}

/// Tails that leave now: their queues show the next packet, and what came out of the network is received.
void Worker::finish_streams() {
  Adapter adapter(*this);
  for_each_bit(router_->pending, [&](std::uint32_t number) {
    Queue& queue = queues_[number];
    if (queue.free_at != now_) return;
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

void Worker::enqueue(std::uint32_t number, PacketId id) {
  Queue& queue = queues_[number];
  pool_[id].next = kNoPacket;
  ++queue.waiting;
  if (queue.head != kNoPacket) {
    pool_[queue.tail].next = id;
    queue.tail = id;
    return;
  }
  queue.head = queue.tail = id;
  if (queue.free_at <= now_ && (router_->pending & bit(number)) == 0) {
    show_head(number);
    return;
  }
  router_->pending |= bit(number);
}

/// The first packet of a queue goes where it can at once, else asks for links or for a place in its reception
/// FIFO.
void Worker::show_head(std::uint32_t number) {
  Queue& queue = queues_[number];
  queue.wanted = ports_wanted(pool_[queue.head], fabric_.shape().dimensions());
  if (queue.wanted == 0) {
    deliver(number);
    return;
  }
  std::uint32_t idle = 0;  // and not asked for by others, who came before
  for_each_bit(queue.wanted & ~router_->requested, [&](Port port) {
    if (links_[port].busy_until <= now_) idle |= 1U << port;
  });
  if (idle == 0 || try_to_send(number, idle) == kNoPort) request_links(number);
}

void Worker::request_links(std::uint32_t number) {
  const Queue& queue = queues_[number];
  contended_ = true;
  router_->requested |= queue.wanted;
  for_each_bit(queue.wanted, [&](Port port) { links_[port].requesters |= bit(number); });
}

void Worker::withdraw_head(std::uint32_t number) {
  for_each_bit(queues_[number].wanted & router_->requested, [&](Port port) {
    Link& link = links_[port];
    link.requesters &= ~bit(number);
    if (link.requesters != 0) return;
    router_->requested &= static_cast<std::uint16_t>(~(1U << port));
    fabric_.starving(node_) &=
        static_cast<std::uint16_t>(~(1U << port));  // who asks next looks for tokens again
    end_stall(link, now_);
  });
}

void Worker::end_stall(Link& link, Cycles now) {
  if (link.stalled_since == kNever) return;
  link.stalled += now - link.stalled_since;
  link.stalled_since = kNever;
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

/// A place in a reception FIFO became free. The queues that wait for it take turns.
void Worker::admit(std::uint32_t fifo) {
  Reception& reception = fabric_.reception(node_, fifo);
  const std::uint64_t later = bit(reception.turn) - 1;
  for (std::uint64_t half : {router_->blocked & ~later, router_->blocked & later}) {
    for (; half != 0; half &= half - 1) {
      const auto number = static_cast<std::uint32_t>(std::countr_zero(half));
      if (pool_[queues_[number].head].reception != fifo) continue;
      router_->blocked &= ~bit(number);
      reception.turn = static_cast<std::uint8_t>((number + 1) % kMostQueues);
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
    if (links_[port].busy_until <= now_) idle |= 1U << port;
  });
  for_each_bit(idle, [&](Port port) {
    std::uint64_t asking = links_[port].requesters;
    while (asking != 0 && (idle >> port & 1U) != 0) {
      const std::uint32_t number = most_pressing(asking, links_[port].turn);
      asking &= ~bit(number);
      const Port taken = try_to_send(number, queues_[number].wanted & idle);
      if (taken != kNoPort) idle &= ~(1U << taken);
    }
  });
  for_each_bit(idle & router_->requested, [&](Port port) { starve(port); });
}

/// Packets under way come before new ones, the longest queue before shorter ones: else a network that is
/// full carries less than one that is not. Equal ones take turns.
std::uint32_t Worker::most_pressing(std::uint64_t asking, std::uint32_t turn) const {
  std::uint32_t best = 0;
  std::int32_t most = -1;
  const std::uint64_t later = bit(turn) - 1;
  for (const std::uint64_t half : {asking & ~later, asking & later}) {
    for_each_bit(half, [&](std::uint32_t number) {
      const std::int32_t pressing = kinds_[number].injects ? 0 : std::int32_t{queues_[number].waiting};
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
  Link& link = links_[port];
  if (link.stalled_since == kNever) link.stalled_since = now_;
  std::uint16_t& starving = fabric_.starving(node_);
  if ((starving >> port & 1U) != 0 && (refilled_ >> port & 1U) == 0) return;  // called already
  starving |= static_cast<std::uint16_t>(1U << port);
  if (!is_mine(neighbours_[port])) return;
  const std::uint64_t last = window_ + fabric_.token_flight();
  for (std::uint64_t window = window_ + 1; window <= last; ++window) {
    const std::int16_t* tokens = fabric_.returned(node_, window) + (std::size_t{port} * fabric_.channels());
    if (std::any_of(tokens, tokens + fabric_.channels(), [](std::int16_t count) { return count != 0; })) {
      fabric_.call(node_, window);
      return;
    }
  }
}

/// The link by which the first packet of a queue went, or kNoPort.
Port Worker::try_to_send(std::uint32_t number, std::uint32_t offered) {
  const Queue& queue = queues_[number];
  const Packet& packet = pool_[queue.head];
  const std::int32_t steps = packet.steps;
  if (packet.routing == Routing::kAdaptive) {
    std::int32_t most = steps - 1;
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
    if (most >= steps) {
      send(number, best, best_channel);
      return best;
    }
  }
  const auto port = static_cast<Port>(std::countr_zero(queue.wanted));  // dimension order
  if ((offered >> port & 1U) == 0) return kNoPort;
  const std::uint32_t bubble = enters_ring(number, port) ? fabric_.network().largest_steps() : 0;
  if (tokens_[(port * fabric_.channels()) + escape_] < steps + static_cast<std::int32_t>(bubble))
    return kNoPort;
  send(number, port, escape_);
  return port;
}

/// Whether a packet of this queue comes into the escape channels of a ring from outside.
bool Worker::enters_ring(std::uint32_t number, Port port) const {
  const QueueKind& kind = kinds_[number];
  return kind.injects || !kind.escapes || kind.port != port;
}

/// Queue `port * channels + channel` of a node holds what came over the link that the neighbour calls `port`:
/// it goes on in the same direction by the port of the same name.
void Worker::send(std::uint32_t number, Port port, std::uint32_t channel) {
  const PacketId id = queues_[number].head;
  Packet& packet = pool_[id];
  Link& link = links_[port];
  withdraw_head(number);
  end_stall(link, now_);
  fabric_.starving(node_) &= static_cast<std::uint16_t>(~(1U << port));
  packet.hops[port / 2] = static_cast<std::int16_t>(packet.hops[port / 2] + (port % 2 == 0 ? -1 : 1));
  std::int16_t& tokens = tokens_[(port * fabric_.channels()) + channel];
  tokens = static_cast<std::int16_t>(tokens - packet.steps);
  const Cycles wire = fabric_.wire_time(packet.steps);
  link.busy_until = now_ + wire;
  link.busy += wire;
  ++link.packets;
  link.turn = static_cast<std::uint8_t>((number + 1) % kMostQueues);
  ++tally_.packet_hops;

  const Node neighbour = neighbours_[port];
  const Cycles at = now_ + fabric_.network().hop_latency;
  const std::uint64_t window = fabric_.window_of(at);
  std::uint8_t& count = fabric_.arrival_counts(neighbour, window)[port];
  fabric_.arrivals(neighbour, window, port)[count++] = {
      id, static_cast<std::uint16_t>(at & (fabric_.window() - 1)),
      static_cast<std::uint16_t>((port * fabric_.channels()) + channel)};
  call_neighbour(neighbour, window);
  stream_out(number, wire);
}

/// The first packet leaves its queue, as long as it takes.
void Worker::stream_out(std::uint32_t number, Cycles duration) {
  Queue& queue = queues_[number];
  const Packet& packet = pool_[queue.head];
  queue.head = packet.next;
  --queue.waiting;
  queue.free_at = now_ + duration;
  ++tally_.moves;
  if (queue.head != kNoPacket || queue.leaving != kNoPacket || kinds_[number].injects) {
    router_->pending |= bit(number);
  }
  if (!kinds_[number].injects)
    return_tokens(number, packet.steps, queue.free_at + fabric_.network().hop_latency);
}

/// Tokens of a packet go back to the sender when its tail has left. A sender that waits for them is called
/// then; else it only has to collect them in time.
void Worker::return_tokens(std::uint32_t number, std::uint32_t steps, Cycles at) {
  const Port port = kinds_[number].port;
  const Node sender = neighbours_[opposite(port)];
  const std::uint64_t window = fabric_.window_of(at);
  std::int16_t& tokens = fabric_.returned(sender, window)[number];
  tokens = static_cast<std::int16_t>(tokens + static_cast<std::int16_t>(steps));
  const bool waits = !is_mine(sender) || (fabric_.starving(sender) >> port & 1U) != 0;
  call_neighbour(sender, waits ? window : fabric_.collection_of(window));
}

std::uint32_t Adapter::injecting(std::uint32_t fifo) const {
  const std::uint32_t number = worker_.fabric_.injection_queue(fifo);
  const Queue& queue = worker_.queues_[number];
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
  if (worker_.router_->blocked != 0) worker_.admit(fifo);
}

void Adapter::wake_at(Cycles time) {
  Router& router = *worker_.router_;
  if (router.wake_at == kNever && time != kNever) ++worker_.tally_.timers;
  if (router.wake_at != kNever && time == kNever) --worker_.tally_.timers;
  router.wake_at = time;
}

}  // namespace groma::sim::torus
