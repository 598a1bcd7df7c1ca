// The state of all routers and links. Each array is ordered by node, so that a sweep over the nodes reads
// memory in order.
//
// Time passes in windows of at most one hop: what a router does in a window reaches others in a later one, so
// that the routers of a window may work in any order and in parallel. A router leaves arrivals and tokens for
// its neighbours in their inboxes for that window; no other thread touches those of the same link.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "sim/torus/bits.hpp"
#include "sim/torus/network.hpp"
#include "sim/torus/packet.hpp"
#include "sim/torus/processors.hpp"
#include "sim/torus/shape.hpp"

namespace groma::sim::torus {

inline constexpr Cycles kNever = INT64_MAX;
inline constexpr std::uint64_t kNoWindow = UINT64_MAX;
/// Of a node: a router looks at its queues as bits of a word.
inline constexpr std::uint32_t kMaxQueues = 64;
/// In a window; counted in bytes.
inline constexpr std::uint32_t kMaxArrivalsOfLink = 255;
inline constexpr std::uint32_t kMaxReturnedOfQueue = 255;  ///< tokens
/// Calls are bits of words.
inline constexpr std::uint32_t kNodesPerWord = 64;

/// One direction of a link, as its sender sees it.
struct Link {
  Cycles busy_until = 0;
  std::uint64_t requesters = 0;  ///< queues whose first packet may take it
  Cycles busy = 0;               ///< time for which it carried packets
  std::uint32_t packets = 0;
  Node next = kNoNode;    ///< to which it leads
  Node last = kNoNode;    ///< from which the link of the same port leads here
  std::uint8_t turn = 0;  ///< the queue that may send first
};

/// Of a link that is idle with a requester, for want of tokens.
struct Stall {
  Cycles since = kNever;
  Cycles before = 0;  ///< length of all earlier ones
};

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
  Cycles wake_at = kNever;    ///< of the processors
  std::uint64_t tokens_until = 0;  ///< the first window whose tokens were not collected
  Cycles next_tail = kNever;       ///< the first tail of the pending queues leaves then
  Cycles next_link = kNever;       ///< the first requested link that is busy becomes free then
  std::uint16_t requested = 0;     ///< links with requesters
};
static_assert(sizeof(Router) == 48);

struct Arrival {
  PacketId packet = kNoPacket;
  std::uint16_t queue = 0;
  std::uint16_t after = 0;  ///< the begin of the window, cycles

  /// Arrivals are dealt with in the order of time, at one time in that of queues.
  [[nodiscard]] std::uint32_t order() const { return (std::uint32_t{after} << 16U) | queue; }
};

class Fabric {
 public:
  Fabric(Shape shape, const Network& network, const Demands& demands);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Network& network() const { return network_; }
  /// The length of a window: a power of two.
  [[nodiscard]] Cycles window() const { return window_; }
  [[nodiscard]] std::uint64_t window_of(Cycles time) const {
    return static_cast<std::uint64_t>(time) >> window_bits_;
  }
  [[nodiscard]] std::uint64_t slots() const { return slots_; }

  // Queues of a node: channels port by port, then injection FIFOs.
  [[nodiscard]] std::uint32_t channels() const { return channels_; }
  [[nodiscard]] std::uint32_t channel_queues() const { return ports_ * channels_; }
  [[nodiscard]] std::uint32_t queues() const { return queues_each_; }
  [[nodiscard]] std::uint32_t injection_queue(std::uint32_t fifo) const { return channel_queues() + fifo; }

  /// The state of a node, which the following find the parts of.
  std::byte* state(Node node) { return reinterpret_cast<std::byte*>(state_.data() + (node * places_.lines)); }
  static Router& router(std::byte* state) { return *at<Router>(state, 0); }
  Router& router(Node node) { return router(state(node)); }
  Link& link(std::byte* state, Port port) const {
    return *at<Link>(state, places_.ports + (port * places_.port));
  }
  Link& link(Node node, Port port) { return link(state(node), port); }
  /// Tokens for the channels behind each link, port by port: a token stands for a free step of a buffer.
  static std::int16_t* tokens(std::byte* state) { return at<std::int16_t>(state, sizeof(Router)); }
  std::int16_t* tokens(Node node) { return tokens(state(node)); }
  Queue& queue(std::byte* state, std::uint32_t number) const {
    return *at<Queue>(state, queue_places_[number]);
  }
  Queue& queue(Node node, std::uint32_t number) { return queue(state(node), number); }
  /// The lines with the links and the channels of their ports, and those of the FIFOs for injection and
  /// reception.
  [[nodiscard]] std::span<std::byte> ports(std::byte* state) const {
    return {state + places_.ports, ports_ * places_.port};
  }
  [[nodiscard]] std::span<std::byte> fifos(std::byte* state) const {
    return {state + places_.injection, places_.stalls - places_.injection};
  }
  Stall& stall(Node node, Port port) { return at<Stall>(state(node), places_.stalls)[port]; }
  /// Links that stand still for want of tokens, a bit for each port. Of nodes of the same worker only.
  std::uint16_t& starving(Node node) { return starving_[node]; }
  [[nodiscard]] Node neighbour(Node node, Port port) { return link(node, port).next; }
  /// Reception FIFOs of a node.
  [[nodiscard]] std::uint32_t receptions() const { return receptions_each_; }
  /// Queues whose first packet waits for a place in a reception FIFO.
  std::uint64_t& blocked(std::byte* state) const { return *at<std::uint64_t>(state, places_.blocked); }
  Reception& reception(Node node, std::uint32_t fifo) {
    return at<Reception>(state(node), places_.receptions)[fifo];
  }
  [[nodiscard]] Cycles wire_time(std::uint32_t steps) const { return wire_times_[steps]; }

  // Inboxes, by window. That of a window may be written until it begins, by the neighbours.

  /// Tokens that come back, queue by queue of the neighbours.
  std::uint8_t* returned(std::byte* state, std::uint64_t window) const {
    return at<std::uint8_t>(state, places_.returned) + ((window & (token_slots_ - 1)) * token_row_);
  }
  std::uint8_t* returned(Node node, std::uint64_t window) { return returned(state(node), window); }
  static constexpr std::size_t kTokensTogether = 8;
  /// Numbers in a row of tokens: one for each queue of the links, then zeros to a multiple of those that are
  /// added together.
  [[nodiscard]] std::size_t token_row() const { return token_row_; }
  /// No token is on its way for more windows than these.
  [[nodiscard]] std::uint64_t token_flight() const { return token_flight_; }
  /// Windows come in groups. Tokens of a group have to be collected by its last window, not before this one.
  [[nodiscard]] std::uint64_t collection_of(std::uint64_t window) const { return window | collection_mask_; }
  /// The first window of the group, whose rows follow each other.
  [[nodiscard]] std::uint64_t collected_from(std::uint64_t window) const {
    return window & ~collection_mask_;
  }
  /// The lines of arrivals with their counts.
  [[nodiscard]] std::span<std::byte> inbox(std::byte* state, std::uint64_t window) const {
    return {state + inbox(window), places_.inbox};
  }
  /// Of each port, in as many bytes as make whole words.
  std::uint8_t* arrival_counts(std::byte* state, std::uint64_t window) const {
    return at<std::uint8_t>(state, inbox(window));
  }
  /// The ports that have arrivals.
  [[nodiscard]] std::uint64_t arriving(std::byte* state, std::uint64_t window) const {
    const std::uint8_t* counts = arrival_counts(state, window);
    std::uint64_t ports = 0;
    for (std::size_t first = 0; first < arrival_row_; first += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, counts + first, sizeof eight);
      ports |= nonzero_bytes(eight) << first;
    }
    return ports;
  }
  std::uint8_t* arrival_counts(Node node, std::uint64_t window) {
    return arrival_counts(state(node), window);
  }
  [[nodiscard]] std::size_t arrival_row() const { return arrival_row_; }
  Arrival* arrivals(std::byte* state, std::uint64_t window, Port port) const {
    return at<Arrival>(state, inbox(window) + arrival_row_) + (std::size_t{port} << arrivals_bits_);
  }
  Arrival* arrivals(Node node, std::uint64_t window, Port port) {
    return arrivals(state(node), window, port);
  }

  /// Whether a window is too far away to call a node for it in window `now`. No packet or token is.
  [[nodiscard]] bool is_far(std::uint64_t window, std::uint64_t now) const { return window - now >= slots_; }
  /// Has a node of the calling thread visited in a window that is not far. No other thread writes these
  /// words: an atomic operation would wait for all that was written before.
  void call(Node node, std::uint64_t window) {
    std::atomic<std::uint64_t>& word = own_calls_[call_word(node, window)];
    word.store(word.load(std::memory_order_relaxed) | call_bit(node), std::memory_order_relaxed);
  }
  /// The same for a node of another thread.
  void call_foreign(Node node, std::uint64_t window) {
    foreign_calls_[call_word(node, window)].fetch_or(call_bit(node), std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t call_words() const { return call_words_; }

  /// Tokens of packets that are in channels or on their way there: 0 when nothing is in the network, or one
  /// was lost.
  [[nodiscard]] std::int64_t tokens_out();
  /// Channels whose tokens that are out are not those of the packets in them and on their way there: always
  /// 0, or the simulation is wrong. Between windows only.
  [[nodiscard]] std::uint64_t leaking_channels(PacketPool& pool);

  [[nodiscard]] std::size_t bytes() const;

  /// Appends the nodes of these words of calls that are called for a window, and forgets the calls.
  void take_calls(std::uint64_t window, std::size_t first_word, std::size_t last_word,
                  std::vector<Node>& nodes) {
    for (std::size_t word = first_word; word < last_word; ++word) {
      const std::size_t place = ((window & (slots_ - 1)) * call_words_) + word;
      std::uint64_t bits = own_calls_[place].load(std::memory_order_relaxed);
      if (bits != 0) own_calls_[place].store(0, std::memory_order_relaxed);
      if (foreign_calls_[place].load(std::memory_order_relaxed) != 0) {
        bits |= foreign_calls_[place].exchange(0, std::memory_order_relaxed);
      }
      for_each_bit(bits, [&](std::uint32_t index) {
        nodes.push_back(static_cast<Node>((word * kNodesPerWord) + index));
      });
    }
  }

  /// The first window after this one for which a node of these words is called, or kNoWindow.
  [[nodiscard]] std::uint64_t next_called(std::uint64_t window, std::size_t first_word,
                                          std::size_t last_word) const;

 private:
  static constexpr std::uint64_t kMinSlots = 64;

  void place();
  void construct(Node node);

  [[nodiscard]] std::int64_t tokens_out(Node node, std::uint32_t channel);
  [[nodiscard]] std::int64_t steps_in(Node node, Port port, std::uint32_t channel, PacketPool& pool);

  [[nodiscard]] std::size_t call_word(Node node, std::uint64_t window) const {
    return ((window & (slots_ - 1)) * call_words_) + (node / kNodesPerWord);
  }
  static std::uint64_t call_bit(Node node) { return bit(node % kNodesPerWord); }

  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  /// Where the parts of a node's state lie in it, in bytes.
  struct Places {
    std::size_t inboxes = 0;
    std::size_t inbox = 0;  ///< length of one
    std::size_t returned = 0;
    std::size_t ports = 0;  ///< the link of each with its channels
    std::size_t port = 0;   ///< length of one
    std::size_t injection = 0;
    std::size_t blocked = 0;
    std::size_t receptions = 0;
    std::size_t stalls = 0;
    std::size_t lines = 0;  ///< length of the state
  };

  template <class T>
  static T* at(std::byte* state, std::size_t place) {
    return reinterpret_cast<T*>(state + place);
  }
  [[nodiscard]] std::size_t inbox(std::uint64_t window) const {
    return places_.inboxes + ((window & (arrival_slots_ - 1)) * places_.inbox);
  }

  using Calls = std::unique_ptr<std::atomic<std::uint64_t>[]>;  // NOLINT(modernize-avoid-c-arrays)

  Shape shape_;
  Network network_;
  std::uint32_t ports_;
  std::uint32_t channels_;
  std::uint32_t queues_each_;
  std::uint32_t receptions_each_;
  Cycles window_;
  unsigned window_bits_;
  std::uint64_t arrival_slots_ = 0;
  std::uint64_t token_flight_ = 0;
  std::uint64_t token_slots_ = 0;
  std::uint64_t collection_mask_ = 0;
  std::size_t token_row_ = 0;
  std::uint64_t slots_ = 0;
  unsigned arrivals_bits_ = 0;  ///< 2^these arrivals of a port fit into a window
  std::size_t arrival_row_ = 0;
  std::size_t call_words_;
  std::vector<Cycles> wire_times_;
  Places places_;
  std::array<std::uint32_t, kMaxQueues> queue_places_{};
  HugeVector<Line> state_;  ///< of a node after the other
  HugeVector<std::uint16_t> starving_;
  Calls own_calls_;
  Calls foreign_calls_;
};

}  // namespace groma::sim::torus
