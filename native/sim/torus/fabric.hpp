// The state of all routers and links. Each array is ordered by node, so that a sweep over the nodes reads memory in
// order.
//
// Time passes in windows of at most one hop: what a router does in a window reaches others in a later one, so that
// the routers of a window may work in any order and in parallel. A router leaves arrivals and tokens for its
// neighbours in their inboxes for that window; no other thread touches those of the same link.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "sim/torus/network.hpp"
#include "sim/torus/packet.hpp"
#include "sim/torus/processors.hpp"
#include "sim/torus/shape.hpp"

namespace groma::sim::torus {

inline constexpr Cycles kNever = INT64_MAX;
inline constexpr std::size_t kMostChannels = kMostAdaptiveChannels + 1;

/// One direction of a link, as its sender sees it.
struct alignas(64) Link {
  Cycles busy_until = 0;
  std::uint64_t requesters = 0;  ///< queues whose first packet may take it
  std::array<std::int16_t, kMostChannels> tokens{};
  Cycles stalled_since = kNever;  ///< idle with a requester since then, for want of tokens
  Cycles busy = 0;                ///< time for which it carried packets
  Cycles stalled = 0;
  std::uint32_t packets = 0;
  std::uint8_t turn = 0;  ///< the queue that may send first
};
static_assert(sizeof(Link) == 64);

/// Packets in one virtual channel or injection FIFO, without the one that streams out until `free_at`.
struct Queue {
  PacketId head = kNoPacket;
  PacketId tail = kNoPacket;
  Cycles free_at = 0;            ///< the tail of what streams out leaves then
  PacketId leaving = kNoPacket;  ///< streams into a reception FIFO
  std::uint16_t wanted = 0;      ///< links that the first packet may take; 0 where it is at its destination
  std::uint16_t waiting = 0;     ///< packets
};

struct Reception {
  PacketId head = kNoPacket;
  PacketId tail = kNoPacket;
  std::uint32_t taken = 0;  ///< places, those of packets on their way into it included
  std::uint32_t turn = 0;   ///< the queue that may deliver first
};

struct Router {
  std::uint64_t pending = 0;  ///< queues where something happens when the packet that streams out has left
  std::uint64_t blocked = 0;  ///< queues whose first packet waits for a place in a reception FIFO
  Cycles wake_at = kNever;    ///< of the processors
  std::uint64_t tokens_until = 0;  ///< the first window whose tokens were not collected
  std::uint16_t requested = 0;     ///< links with requesters
};

struct Arrival {
  Cycles at = 0;
  PacketId packet = kNoPacket;
  std::uint16_t queue = 0;
};

class Fabric {
 public:
  Fabric(Shape shape, const Network& network, const Demands& demands);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Network& network() const { return network_; }
  /// The length of a window: a power of two.
  [[nodiscard]] Cycles window() const { return window_; }
  [[nodiscard]] std::uint64_t window_of(Cycles time) const { return static_cast<std::uint64_t>(time) >> window_bits_; }
  [[nodiscard]] std::uint64_t slots() const { return slots_; }

  // Queues of a node: channels port by port, then injection FIFOs.
  [[nodiscard]] std::uint32_t channels() const { return channels_; }
  [[nodiscard]] std::uint32_t channel_queues() const { return ports_ * channels_; }
  [[nodiscard]] std::uint32_t injection_queue(std::uint32_t fifo) const { return channel_queues() + fifo; }

  Router& router(Node node) { return routers_[node]; }
  Link* links(Node node) { return &links_[std::size_t{node} * ports_]; }
  Queue* queues(Node node) { return &queues_[std::size_t{node} * queues_each_]; }
  /// Links that stand still for want of tokens, a bit for each port. Of nodes of the same worker only.
  std::uint16_t& starving(Node node) { return starving_[node]; }
  [[nodiscard]] const Node* neighbours(Node node) const { return &neighbours_[std::size_t{node} * ports_]; }
  [[nodiscard]] Node neighbour(Node node, Port port) const { return neighbours(node)[port]; }
  Reception& reception(Node node, std::uint32_t fifo) {
    return receptions_[(std::size_t{node} * receptions_each_) + fifo];
  }
  [[nodiscard]] Cycles wire_time(std::uint32_t steps) const { return wire_times_[steps]; }

  // Inboxes, by window. That of a window may be written until it begins, by the neighbours.

  /// Tokens that come back, queue by queue of the neighbours.
  std::int16_t* tokens(Node node, std::uint64_t window) {
    return &tokens_[((std::size_t{node} * token_slots_) + (window & (token_slots_ - 1))) * token_row_];
  }
  [[nodiscard]] std::size_t token_row() const { return token_row_; }
  /// Windows for which tokens are kept.
  [[nodiscard]] std::uint64_t token_slots() const { return token_slots_; }
  /// No token is on its way for more windows than these.
  [[nodiscard]] std::uint64_t token_flight() const { return token_flight_; }
  /// The window, not before this one, by which tokens of this one have to be collected.
  [[nodiscard]] std::uint64_t collection_of(std::uint64_t window) const { return window | collection_mask_; }
  /// Of each port, in as many bytes as make whole words.
  std::uint8_t* arrival_counts(Node node, std::uint64_t window) {
    return &arrival_counts_[((std::size_t{node} * kArrivalSlots) + (window % kArrivalSlots)) * arrival_row_];
  }
  [[nodiscard]] std::size_t arrival_row() const { return arrival_row_; }
  Arrival* arrivals(Node node, std::uint64_t window, Port port) {
    return &arrivals_[((((std::size_t{node} * kArrivalSlots) + (window % kArrivalSlots)) * ports_) + port) *
                      arrivals_each_];
  }

  /// Has the node visited in that window, or in the last one that can be asked for in window `now`. Any thread.
  void call(Node node, std::uint64_t window, std::uint64_t now) {
    window = std::min(window, now + slots_ - 1);
    std::atomic<std::uint64_t>& word = call_word(window & (slots_ - 1), node / 64);
    const std::uint64_t bit = std::uint64_t{1} << (node % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t call_words() const { return call_words_; }

  /// Tokens of packets that are in channels or on their way there: 0 when nothing is in the network, or one was lost.
  [[nodiscard]] std::int64_t tokens_out() const;

  [[nodiscard]] std::size_t bytes() const;

  /// Appends the nodes of these words of calls that are called for a window, and forgets the calls.
  void take_calls(std::uint64_t window, std::size_t first_word, std::size_t last_word, std::vector<Node>& nodes) {
    for (std::size_t word = first_word; word < last_word; ++word) {
      std::atomic<std::uint64_t>& calls = call_word(window & (slots_ - 1), word);
      if (calls.load(std::memory_order_relaxed) == 0) continue;
      std::uint64_t bits = calls.exchange(0, std::memory_order_relaxed);
      for (; bits != 0; bits &= bits - 1) {
        nodes.push_back(static_cast<Node>((word * 64) + static_cast<std::size_t>(std::countr_zero(bits))));
      }
    }
  }

  /// Fetches what a visit reads first.
  void prefetch(Node node, std::uint64_t window) {
    __builtin_prefetch(&routers_[node]);
    __builtin_prefetch(arrival_counts(node, window));
    __builtin_prefetch(tokens(node, window));
    __builtin_prefetch(arrivals(node, window, 0));
    __builtin_prefetch(arrivals(node, window, ports_ - 1));
  }

 private:
  static constexpr std::uint64_t kArrivalSlots = 4;
  static constexpr std::uint64_t kLeastSlots = 64;

  std::atomic<std::uint64_t>& call_word(std::uint64_t slot, std::size_t word) {
    return calls_[(slot * call_words_) + word];
  }

  Shape shape_;
  Network network_;
  std::uint32_t ports_;
  std::uint32_t channels_;
  std::uint32_t queues_each_;
  std::uint32_t receptions_each_;
  Cycles window_;
  unsigned window_bits_;
  std::uint64_t token_flight_ = 0;
  std::uint64_t token_slots_ = 0;
  std::uint64_t collection_mask_ = 0;
  std::size_t token_row_ = 0;
  std::uint64_t slots_ = 0;
  std::uint32_t arrivals_each_ = 0;
  std::size_t arrival_row_ = 0;
  std::size_t call_words_;
  std::vector<Cycles> wire_times_;
  HugeVector<Router> routers_;
  HugeVector<Link> links_;
  HugeVector<Node> neighbours_;
  HugeVector<std::uint16_t> starving_;
  HugeVector<Queue> queues_;
  HugeVector<Reception> receptions_;
  HugeVector<std::int16_t> tokens_;
  HugeVector<std::uint8_t> arrival_counts_;
  HugeVector<Arrival> arrivals_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> calls_;  // NOLINT(modernize-avoid-c-arrays)
};

}  // namespace groma::sim::torus
