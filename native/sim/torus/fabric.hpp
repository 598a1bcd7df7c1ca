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
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "base/prefetch.hpp"
#include "sim/torus/network.hpp"
#include "sim/torus/packet.hpp"
#include "sim/torus/processors.hpp"
#include "sim/torus/shape.hpp"

namespace groma::sim::torus {

inline constexpr Cycles kNever = INT64_MAX;
inline constexpr std::uint64_t kNoWindow = UINT64_MAX;
/// Of a node: a router looks at its queues as bits of a word.
inline constexpr std::uint32_t kMostQueues = 64;
/// In a window; counted in a byte.
inline constexpr std::uint32_t kMostArrivalsOfLink = 255;
/// Calls are bits of words.
inline constexpr std::uint32_t kNodesPerWord = 64;

/// One direction of a link, as its sender sees it.
struct alignas(64) Link {
  Cycles busy_until = 0;
  std::uint64_t requesters = 0;   ///< queues whose first packet may take it
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
  PacketId packet = kNoPacket;
  std::uint16_t after = 0;  ///< the begin of the window, cycles
  std::uint16_t queue = 0;
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
  [[nodiscard]] std::uint32_t injection_queue(std::uint32_t fifo) const { return channel_queues() + fifo; }

  Router& router(Node node) { return routers_[node]; }
  Link* links(Node node) { return &links_[std::size_t{node} * ports_]; }
  /// Tokens for the channels behind each link, port by port: a token stands for a free step of a buffer.
  std::int16_t* tokens(Node node) { return &tokens_[node * token_row_]; }
  Queue* queues(Node node) { return &queues_[std::size_t{node} * queues_each_]; }
  /// Links that stand still for want of tokens, a bit for each port. Of nodes of the same worker only.
  std::uint16_t& starving(Node node) { return starving_[node]; }
  [[nodiscard]] const Node* neighbours(Node node) const { return &neighbours_[std::size_t{node} * ports_]; }
  [[nodiscard]] Node neighbour(Node node, Port port) const { return neighbours(node)[port]; }
  /// Reception FIFOs of a node.
  [[nodiscard]] std::uint32_t receptions() const { return receptions_each_; }
  Reception& reception(Node node, std::uint32_t fifo) {
    return receptions_[(std::size_t{node} * receptions_each_) + fifo];
  }
  [[nodiscard]] Cycles wire_time(std::uint32_t steps) const { return wire_times_[steps]; }

  // Inboxes, by window. That of a window may be written until it begins, by the neighbours.

  /// Tokens that come back, queue by queue of the neighbours.
  std::int16_t* returned(Node node, std::uint64_t window) {
    return &returned_[((std::size_t{node} * token_slots_) + (window & (token_slots_ - 1))) * token_row_];
  }
  /// Numbers in a row of tokens: one for each queue of the links, then zeros to whole words.
  [[nodiscard]] std::size_t token_row() const { return token_row_; }
  /// No token is on its way for more windows than these.
  [[nodiscard]] std::uint64_t token_flight() const { return token_flight_; }
  /// Tokens wait to be collected for at most so many windows.
  [[nodiscard]] std::uint64_t longest_wait() const { return collection_mask_; }
  /// The window, not before this one, by which tokens of this one have to be collected.
  [[nodiscard]] std::uint64_t collection_of(std::uint64_t window) const { return window | collection_mask_; }
  /// Of each port, in as many bytes as make whole words.
  std::uint8_t* arrival_counts(Node node, std::uint64_t window) {
    return &arrival_counts_[((std::size_t{node} * arrival_slots_) + (window & (arrival_slots_ - 1))) *
                            arrival_row_];
  }
  [[nodiscard]] std::size_t arrival_row() const { return arrival_row_; }
  Arrival* arrivals(Node node, std::uint64_t window, Port port) {
    return &arrivals_[(
        ((((std::size_t{node} * arrival_slots_) + (window & (arrival_slots_ - 1))) * ports_) + port)
        << arrivals_bits_)];
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
  [[nodiscard]] std::int64_t tokens_out() const;
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
      for (; bits != 0; bits &= bits - 1) {
        nodes.push_back(
            static_cast<Node>((word * kNodesPerWord) + static_cast<std::size_t>(std::countr_zero(bits))));
      }
    }
  }

  /// The first window after this one for which a node of these words is called, or kNoWindow.
  [[nodiscard]] std::uint64_t next_called(std::uint64_t window, std::size_t first_word,
                                          std::size_t last_word) const;

  /// What a visit reads whatever happens.
  void prefetch_node(Node node, std::uint64_t window) {
    prefetch(&router(node));
    prefetch(tokens(node));
    prefetch(returned(node, window));
    prefetch(arrival_counts(node, window));
    prefetch_array(arrivals(node, window, 0), std::size_t{ports_} << arrivals_bits_);
    prefetch_array(neighbours(node), ports_);
    prefetch_array(queues(node), queues_each_);
  }
  /// What a packet needs that goes by a port.
  void prefetch_link(Node node, Port port, std::uint64_t window) {
    const Node next = neighbour(node, port);
    const std::uint64_t arrival = window + (static_cast<std::uint64_t>(network_.hop_latency) >> window_bits_);
    prefetch(links(node) + port);
    prefetch(arrival_counts(next, arrival));
    prefetch(arrivals(next, arrival, port));
  }
  /// Tokens that go back to the node before, for a packet of so many steps.
  void prefetch_returned(Node node, Port port, std::uint32_t steps, std::uint64_t window) {
    const Node last = neighbour(node, opposite(port));
    const std::uint64_t first = window + window_of(wire_time(steps) + network_.hop_latency);
    prefetch(returned(last, first));
    prefetch(returned(last, first + 1));
  }

 private:
  static constexpr std::uint64_t kLeastSlots = 64;

  [[nodiscard]] std::int64_t tokens_out(Node node, std::uint32_t channel);
  [[nodiscard]] std::int64_t steps_in(Node node, Port port, std::uint32_t channel, PacketPool& pool);

  [[nodiscard]] std::size_t call_word(Node node, std::uint64_t window) const {
    return ((window & (slots_ - 1)) * call_words_) + (node / kNodesPerWord);
  }
  static std::uint64_t call_bit(Node node) { return std::uint64_t{1} << (node % kNodesPerWord); }

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
  HugeVector<Router> routers_;
  HugeVector<Link> links_;
  HugeVector<Node> neighbours_;
  HugeVector<std::uint16_t> starving_;
  HugeVector<Queue> queues_;
  HugeVector<Reception> receptions_;
  HugeVector<std::int16_t> tokens_;
  HugeVector<std::int16_t> returned_;
  HugeVector<std::uint8_t> arrival_counts_;
  HugeVector<Arrival> arrivals_;
  Calls own_calls_;
  Calls foreign_calls_;
};

}  // namespace groma::sim::torus
