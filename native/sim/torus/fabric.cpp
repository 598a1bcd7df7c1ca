#include "sim/torus/fabric.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace groma::sim::torus {

namespace {

constexpr Cycles kLongestWindow = 1U << 15U;  // Arrival::after has 16 bits
constexpr std::uint64_t kWindowsKept = 12;    // at least

/// Packets that the buffers behind a link hold. No more arrive in a window: a token that comes back takes a
/// hop, which is no shorter.
std::uint64_t most_in_buffers(const Network& network) {
  return std::uint64_t{network.channels()} * network.channel_tokens();
}

/// A time in which a queue returns no more tokens than are counted: those of a packet whose tail leaves at
/// its begin, and of as many as it has time for.
Cycles countable_time(const Network& network) {
  const Cycles others = kMaxReturnedOfQueue - network.largest_steps();
  Cycles shortest = kLongestWindow;
  for (std::uint32_t steps = 1; steps <= network.largest_steps(); ++steps) {
    shortest = std::min(shortest, others * network.wire_time(steps) / steps);
  }
  return shortest;
}

/// A power of two of cycles, at most a hop, in which no link brings more packets and no queue returns more
/// tokens than are counted.
Cycles window_for(const Network& network) {
  Cycles longest = std::min(network.hop_latency, kLongestWindow);
  if (most_in_buffers(network) > kMaxArrivalsOfLink)
    longest = std::min(longest, Cycles{kMaxArrivalsOfLink - 1} * network.wire_time(1));
  if (network.channel_tokens() > kMaxReturnedOfQueue) longest = std::min(longest, countable_time(network));
  return static_cast<Cycles>(std::bit_floor(static_cast<std::uint64_t>(longest)));
}

/// Windows in which together no queue returns more tokens than are counted: at least one.
std::uint64_t countable_windows(const Network& network, Cycles window) {
  if (network.channel_tokens() <= kMaxReturnedOfQueue) return kNoWindow;  // there are no more
  return static_cast<std::uint64_t>(countable_time(network) / window);
}

}  // namespace

Fabric::Fabric(Shape shape, const Network& network, const Demands& demands)
    : shape_(std::move(shape)),
      network_(network),
      ports_(shape_.ports()),
      channels_(network.channels()),
      queues_each_((ports_ * channels_) + demands.injection_fifos),
      receptions_each_(demands.reception_fifos),
      window_(window_for(network)),
      window_bits_(static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(window_)))),
      call_words_((shape_.nodes() + kNodesPerWord - 1) / kNodesPerWord),
      starving_(shape_.nodes()) {
  for (std::uint32_t steps = 0; steps <= network.largest_steps(); ++steps) {
    wire_times_.push_back(network.wire_time(steps));
  }
  // What is sent in a window arrives at most a hop, in windows rounded up, later. The receiver may have yet
  // to empty the inbox of that window.
  const auto hop_windows = static_cast<std::uint64_t>((network.hop_latency + window_ - 1) / window_);
  arrival_slots_ = std::bit_ceil(hop_windows + 1);
  // Tokens come back when the tail of a packet has left, a hop later. They are kept for some windows more: a
  // node that needs none meanwhile is not visited in each.
  token_flight_ = static_cast<std::uint64_t>((wire_times_.back() + network.hop_latency) / window_) + 2;
  token_slots_ = std::bit_ceil(token_flight_ + kWindowsKept);
  const std::uint64_t kept = std::min(token_slots_ - token_flight_, countable_windows(network, window_));
  collection_mask_ = std::bit_floor(kept) - 1;
  token_row_ = (channel_queues() + kTokensTogether - 1) / kTokensTogether * kTokensTogether;
  slots_ = std::max(kMinSlots, 2 * token_slots_);
  const auto by_rate = static_cast<std::uint64_t>(window_ / wire_times_[1]) + 1;
  arrivals_bits_ = static_cast<unsigned>(std::bit_width(std::min(by_rate, most_in_buffers(network)) - 1));
  arrival_row_ = (std::size_t{ports_} + 7) / 8 * 8;
  place();
  state_.resize(places_.lines * shape_.nodes());
  for (Calls* calls : {&own_calls_, &foreign_calls_}) {
    *calls = std::make_unique<std::atomic<std::uint64_t>[]>(slots_ *
                                                            call_words_);  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t i = 0; i < slots_ * call_words_; ++i) (*calls)[i].store(0, std::memory_order_relaxed);
  }
  for (Node node = 0; node < shape_.nodes(); ++node) construct(node);
}

/// Lines of memory hold what is read together: a router with its tokens, an inbox, a link with its channels.
void Fabric::place() {
  constexpr std::size_t kLine = sizeof(Line);
  std::size_t end = 0;
  const auto next = [&](std::size_t bytes, std::size_t alignment) {
    const std::size_t begin = (end + alignment - 1) / alignment * alignment;
    end = begin + bytes;
    return begin;
  };
  const auto whole_lines = [](std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; };
  static_assert(sizeof(Router) % (kTokensTogether * sizeof(std::int16_t)) == 0);
  next(sizeof(Router) + (token_row_ * sizeof(std::int16_t)), kLine);
  places_.inbox = whole_lines(arrival_row_ + ((std::size_t{ports_} << arrivals_bits_) * sizeof(Arrival)));
  places_.inboxes = next(arrival_slots_ * places_.inbox, kLine);
  places_.returned = next(token_slots_ * token_row_, kLine);
  places_.port = whole_lines(sizeof(Link) + (channels_ * sizeof(Queue)));
  places_.ports = next(ports_ * places_.port, kLine);
  places_.injection = next((queues_each_ - channel_queues()) * sizeof(Queue), kLine);
  places_.blocked = next(sizeof(std::uint64_t), alignof(std::uint64_t));
  places_.receptions = next(receptions_each_ * sizeof(Reception), alignof(Reception));
  places_.stalls = next(ports_ * sizeof(Stall), alignof(Stall));
  // An odd number: routers of neighbouring nodes do not share sets of a cache.
  places_.lines = (whole_lines(end) / kLine) | 1U;
  for (std::uint32_t number = 0; number < queues_each_; ++number) {
    const bool injects = number >= channel_queues();
    const std::size_t first =
        injects ? places_.injection : places_.ports + (number / channels_ * places_.port) + sizeof(Link);
    const std::size_t before = injects ? number - channel_queues() : number % channels_;
    queue_places_[number] = static_cast<std::uint32_t>(first + (before * sizeof(Queue)));
  }
}

void Fabric::construct(Node node) {
  std::construct_at(&router(node));
  std::fill_n(tokens(node), channel_queues(), static_cast<std::int16_t>(network_.channel_tokens()));
  for (Port port = 0; port < ports_; ++port) {
    std::construct_at(&link(node, port));
    link(node, port).next = shape_.neighbour(node, port);
    link(node, port).last = shape_.neighbour(node, opposite(port));
    std::construct_at(&stall(node, port));
  }
  for (std::uint32_t number = 0; number < queues_each_; ++number) std::construct_at(&queue(node, number));
  for (std::uint32_t fifo = 0; fifo < receptions_each_; ++fifo) std::construct_at(&reception(node, fifo));
}

std::uint64_t Fabric::next_called(std::uint64_t window, std::size_t first_word, std::size_t last_word) const {
  for (std::uint64_t next = window + 1; next < window + slots_; ++next) {
    const std::size_t row = (next & (slots_ - 1)) * call_words_;
    for (std::size_t place = row + first_word; place < row + last_word; ++place) {
      if (own_calls_[place].load(std::memory_order_relaxed) != 0) return next;
      if (foreign_calls_[place].load(std::memory_order_relaxed) != 0) return next;
    }
  }
  return kNoWindow;
}

std::int64_t Fabric::tokens_out() {
  std::int64_t all = 0;
  for (Node node = 0; node < shape_.nodes(); ++node) {
    for (std::uint32_t channel = 0; channel < channel_queues(); ++channel) all += tokens_out(node, channel);
  }
  return all;
}

std::uint64_t Fabric::leaking_channels(PacketPool& pool) {
  std::uint64_t leaking = 0;
  for (Node node = 0; node < shape_.nodes(); ++node) {
    for (std::uint32_t channel = 0; channel < channel_queues(); ++channel) {
      const Port port = channel / channels_;
      const Node next = neighbour(node, port);
      const std::int64_t behind = next == kNoNode ? 0 : steps_in(next, port, channel, pool);
      leaking += tokens_out(node, channel) == behind ? 0 : 1;
    }
  }
  return leaking;
}

/// Of the channel behind one of the node's links.
std::int64_t Fabric::tokens_out(Node node, std::uint32_t channel) {
  std::int64_t here = tokens(node)[channel];
  for (std::uint64_t window = 0; window < token_slots_; ++window) here += returned(node, window)[channel];
  return std::int64_t{network_.channel_tokens()} - here;
}

/// Steps of the packets in a channel and in the inboxes of its node.
std::int64_t Fabric::steps_in(Node node, Port port, std::uint32_t channel, PacketPool& pool) {
  std::int64_t steps = 0;
  for (PacketId id = queue(node, channel).head; id != kNoPacket; id = pool[id].next) steps += pool[id].steps;
  for (std::uint64_t window = 0; window < arrival_slots_; ++window) {
    const Arrival* arrival = arrivals(node, window, port);
    for (std::uint8_t left = arrival_counts(node, window)[port]; left != 0; --left, ++arrival) {
      if (arrival->queue == channel) steps += pool[arrival->packet].steps;
    }
  }
  return steps;
}

std::size_t Fabric::bytes() const {
  return (state_.size() * sizeof(Line)) + (starving_.size() * sizeof(std::uint16_t)) +
         (2 * slots_ * call_words_ * sizeof(std::uint64_t));
}

}  // namespace groma::sim::torus
