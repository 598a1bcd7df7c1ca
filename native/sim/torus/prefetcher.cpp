#include "sim/torus/prefetcher.hpp"

#include "base/prefetch.hpp"
#include "sim/torus/bits.hpp"

namespace groma::sim::torus {

Prefetcher::Prefetcher(Fabric& fabric, PacketPool& pool, const Processors& processors)
    : fabric_(fabric), pool_(pool), processors_(processors) {
  for (std::uint32_t queue = 0; queue < fabric.queues(); ++queue) {
    port_of_[queue] = static_cast<std::uint8_t>(queue / fabric.channels());
    if (queue >= fabric.channel_queues()) injection_ |= bit(queue);
  }
}

void Prefetcher::enter(std::uint64_t window, std::uint32_t steps) {
  const Cycles hop = fabric_.network().hop_latency;
  window_ = window;
  end_ = static_cast<Cycles>(window + 1) * fabric_.window();
  arrival_ = window + fabric_.window_of(hop);
  returned_ = window + fabric_.window_of(fabric_.wire_time(steps) + hop);
}

void Prefetcher::prefetch_router(Node node) const {
  std::byte* state = fabric_.state(node);
  prefetch(state);
  prefetch(fabric_.returned(state, window_));
  prefetch_lines(fabric_.inbox(state, window_));
  prefetch_lines(fabric_.ports(state));
}

void Prefetcher::prefetch_arrivals(Node node) const {
  std::byte* state = fabric_.state(node);
  for_each_bit(fabric_.arriving(state, window_),
               [&](Port port) { prefetch(&pool_[fabric_.arrivals(state, window_, port)->packet]); });
  if (!processors_act(Fabric::router(state))) return;
  prefetch_lines(fabric_.fifos(state));
  processors_.prefetch_state(node);
}

/// Whether they do, but for those that wait for packets.
bool Prefetcher::processors_act(const Router& router) const {
  return router.wake_at < end_ || (router.next_tail < end_ && (router.pending & injection_) != 0);
}

/// The inbox of the next node, and that of the last for the tokens.
void Prefetcher::prefetch_straight(std::byte* state, Port port) const {
  const Link& link = fabric_.link(state, port);
  if (link.next != kNoNode) prefetch_lines(fabric_.inbox(fabric_.state(link.next), arrival_));
  if (link.last == kNoNode) return;
  std::byte* last = fabric_.state(link.last);
  prefetch(fabric_.returned(last, returned_));
  prefetch(fabric_.returned(last, returned_ + 1));
}

void Prefetcher::prefetch_ways(Node node) const {
  std::byte* state = fabric_.state(node);
  const Router& router = Fabric::router(state);
  for_each_bit(fabric_.arriving(state, window_), [&](Port port) { prefetch_straight(state, port); });
  bool delivers = false;
  for_each_bit(router.next_tail < end_ ? router.pending : 0, [&](std::uint32_t number) {
    const Queue& queue = fabric_.queue(state, number);
    if (queue.free_at >= end_) return;
    if (queue.leaving != kNoPacket) {
      prefetch(&pool_[queue.leaving]);
      delivers = true;
    }
    if (queue.head == kNoPacket) return;
    prefetch(&pool_[queue.head]);
    if ((injection_ & bit(number)) == 0) prefetch_straight(state, port_of_[number]);
  });
  for_each_bit(router.next_link < end_ ? router.requested : 0, [&](Port port) {
    const Link& link = fabric_.link(state, port);
    if (link.busy_until >= end_) return;
    prefetch_straight(state, port);
    for_each_bit(link.requesters, [&](std::uint32_t number) {
      const PacketId head = fabric_.queue(state, number).head;
      if (head != kNoPacket) prefetch(&pool_[head]);
    });
  });
  if (!processors_act(router)) {
    if (!delivers) return;
    prefetch_lines(fabric_.fifos(state));
    processors_.prefetch_state(node);
    return;
  }
  processors_.prefetch_work(node, pool_, end_);
  for (std::uint32_t fifo = 0; fifo < fabric_.receptions(); ++fifo) {
    const PacketId head = fabric_.reception(node, fifo).head;
    if (head != kNoPacket) prefetch(&pool_[head]);
  }
}

}  // namespace groma::sim::torus
