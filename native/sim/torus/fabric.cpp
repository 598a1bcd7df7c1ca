#include "sim/torus/fabric.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

namespace groma::sim::torus {

Fabric::Fabric(Shape shape, const Network& network, const Demands& demands)
    : shape_(std::move(shape)),
      network_(network),
      ports_(shape_.ports()),
      channels_(network.channels()),
      queues_each_((ports_ * channels_) + demands.injection_fifos),
      receptions_each_(demands.reception_fifos),
      window_(static_cast<Cycles>(std::bit_floor(static_cast<std::uint64_t>(network.hop_latency)))),
      window_bits_(static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(window_)))),
      call_words_((shape_.nodes() + 63) / 64),
      routers_(shape_.nodes()),
      links_(std::size_t{shape_.nodes()} * ports_),
      starving_(shape_.nodes()),
      queues_(std::size_t{shape_.nodes()} * queues_each_),
      receptions_(std::size_t{shape_.nodes()} * receptions_each_) {
  for (std::uint32_t steps = 0; steps <= network.largest_steps(); ++steps) {
    wire_times_.push_back(network.wire_time(steps));
  }
  // Tokens come back when the tail of a packet has left, a hop later. They are kept for so many windows that they need
  // not be collected in each: only when half of those have passed.
  token_flight_ = static_cast<std::uint64_t>((wire_times_.back() + network.hop_latency) / window_) + 2;
  token_slots_ = std::bit_ceil(2 * token_flight_);
  collection_mask_ = std::bit_floor(token_slots_ - token_flight_) - 1;
  token_row_ = (channel_queues() + 3) / 4 * 4;
  slots_ = std::max(kLeastSlots, 2 * token_slots_);
  arrivals_each_ = static_cast<std::uint32_t>(window_ / wire_times_[1]) + 1;
  tokens_.resize(shape_.nodes() * token_slots_ * token_row_);
  arrival_row_ = (ports_ + 7) / 8 * 8;
  arrival_counts_.resize(shape_.nodes() * kArrivalSlots * arrival_row_);
  arrivals_.resize(shape_.nodes() * kArrivalSlots * ports_ * arrivals_each_);
  calls_.reset(new std::atomic<std::uint64_t>[slots_ * call_words_]);
  for (std::size_t i = 0; i < slots_ * call_words_; ++i) calls_[i].store(0, std::memory_order_relaxed);
  for (Node node = 0; node < shape_.nodes(); ++node) {
    for (Port port = 0; port < ports_; ++port) {
      neighbours_.push_back(shape_.neighbour(node, port));
      links(node)[port].tokens.fill(static_cast<std::int16_t>(network.channel_tokens()));
    }
  }
}

std::int64_t Fabric::tokens_out() const {
  std::int64_t out = 0;
  for (const Link& link : links_) {
    for (std::uint32_t channel = 0; channel < channels_; ++channel) {
      out += network_.channel_tokens() - link.tokens[channel];
    }
  }
  return std::accumulate(tokens_.begin(), tokens_.end(), out, std::minus<>());
}

std::size_t Fabric::bytes() const {
  return (routers_.size() * sizeof(Router)) + (links_.size() * sizeof(Link)) + (queues_.size() * sizeof(Queue)) +
         (receptions_.size() * sizeof(Reception)) + (neighbours_.size() * sizeof(Node)) +
         (starving_.size() * sizeof(std::uint16_t)) + (tokens_.size() * sizeof(std::int16_t)) + arrival_counts_.size() +
         (arrivals_.size() * sizeof(Arrival)) + (slots_ * call_words_ * sizeof(std::uint64_t));
}

}  // namespace groma::sim::torus
