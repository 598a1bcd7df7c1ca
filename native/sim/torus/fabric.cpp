#include "sim/torus/fabric.hpp"

#include <algorithm>
#include <bit>
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
      queues_(std::size_t{shape_.nodes()} * queues_each_),
      receptions_(std::size_t{shape_.nodes()} * receptions_each_) {
  for (std::uint32_t steps = 0; steps <= network.largest_steps(); ++steps) {
    wire_times_.push_back(network.wire_time(steps));
  }
  const Cycles farthest = wire_times_.back() + network.hop_latency;
  token_slots_ = std::bit_ceil(static_cast<std::uint32_t>(farthest / window_) + 3);
  slots_ = std::max(kLeastSlots, token_slots_);
  arrivals_each_ = static_cast<std::uint32_t>(window_ / wire_times_[1]) + 1;
  tokens_.resize(std::size_t{shape_.nodes()} * token_slots_ * ports_ * channels_);
  arrival_counts_.resize(std::size_t{shape_.nodes()} * kArrivalSlots * ports_);
  arrivals_.resize(arrival_counts_.size() * arrivals_each_);
  calls_.reset(new std::atomic<std::uint64_t>[slots_ * call_words_]);
  for (std::size_t i = 0; i < slots_ * call_words_; ++i) calls_[i].store(0, std::memory_order_relaxed);
  for (Node node = 0; node < shape_.nodes(); ++node) {
    for (Port port = 0; port < ports_; ++port) {
      Link& link = links(node)[port];
      link.neighbour = shape_.neighbour(node, port);
      link.tokens.fill(static_cast<std::int16_t>(network.channel_tokens()));
    }
  }
}

void Fabric::call(Node node, Cycles at, std::uint64_t window) {
  const auto start = static_cast<Cycles>(window) * window_;
  const auto ahead = std::clamp<Cycles>((at - start) >> window_bits_, 0, slots_ - 1);
  std::atomic<std::uint64_t>& word = call_word((window + static_cast<std::uint64_t>(ahead)) & (slots_ - 1), node / 64);
  const std::uint64_t bit = std::uint64_t{1} << (node % 64);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

std::size_t Fabric::bytes() const {
  return (routers_.size() * sizeof(Router)) + (links_.size() * sizeof(Link)) + (queues_.size() * sizeof(Queue)) +
         (receptions_.size() * sizeof(Reception)) + (tokens_.size() * sizeof(std::int16_t)) + arrival_counts_.size() +
         (arrivals_.size() * sizeof(Arrival)) + (slots_ * call_words_ * sizeof(std::uint64_t));
}

}  // namespace groma::sim::torus
