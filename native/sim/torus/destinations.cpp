#include "sim/torus/destinations.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/random.hpp"
#include "sim/torus/pattern.hpp"

namespace groma::sim::torus {

CheapPermutation::CheapPermutation(std::uint32_t size, std::uint64_t key)
    : size_(size),
      half_bits_((static_cast<std::uint32_t>(std::bit_width(std::max(size, 2U) - 1)) + 1) / 2),
      key_(key) {}

std::uint32_t CheapPermutation::operator()(std::uint32_t index) const {
  do {
    index = once(index);
  } while (index >= size_);
  return index;
}

std::uint32_t CheapPermutation::once(std::uint32_t index) const {
  constexpr std::uint64_t kRounds = 4;
  const std::uint32_t mask = (1U << half_bits_) - 1;
  std::uint32_t left = index >> half_bits_;
  std::uint32_t right = index & mask;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const auto mixed = static_cast<std::uint32_t>(RandomStream(key_ + (round << 32U) + right).next()) & mask;
    left = std::exchange(right, left ^ mixed);
  }
  return (left << half_bits_) | right;
}

Destinations::Destinations(Shape shape, std::uint32_t count, std::uint64_t seed)
    : shape_(std::move(shape)), count_(std::min(count, shape_.nodes() - 1)) {
  if (count_ + 1 < shape_.nodes()) sample(seed);
}

void Destinations::sample(std::uint64_t seed) {
  const CheapPermutation order(shape_.nodes() - 1, seed);
  std::vector<bool> taken(shape_.nodes());
  for (std::uint32_t index = 0; displacements_.size() < count_; ++index) {
    const Node drawn = order(index) + 1;
    for (const Node one : {drawn, opposite_of(drawn)}) {
      if (taken[one] || displacements_.size() == count_) continue;
      taken[one] = true;
      displacements_.push_back(one);
    }
  }
}

Node Destinations::of(Node node, std::uint32_t number) const {
  if (are_all()) return number + (number >= node ? 1 : 0);
  return displaced(node, displacements_[number]);
}

Node Destinations::displaced(Node node, Node by) const {
  std::vector<std::uint32_t> place;
  for (std::size_t d = 0; d < shape_.dimensions(); ++d) {
    place.push_back((shape_.coordinate(node, d) + shape_.coordinate(by, d)) % shape_.extent(d));
  }
  return shape_.node_at(place);
}

Node Destinations::opposite_of(Node displacement) const {
  std::vector<std::uint32_t> place;
  for (std::size_t d = 0; d < shape_.dimensions(); ++d) {
    place.push_back((shape_.extent(d) - shape_.coordinate(displacement, d)) % shape_.extent(d));
  }
  return shape_.node_at(place);
}

double Destinations::busiest_load() const {
  double most = 0.0;
  for (std::size_t d = 0; d < shape_.dimensions(); ++d) most = std::max(most, load_of(d));
  return most;
}

double Destinations::load_of(std::size_t dimension) const {
  if (are_all() || !shape_.is_closed(dimension)) return count_ * uniform_load(shape_, dimension);
  double up = 0.0;
  double down = 0.0;
  for (const Node displacement : displacements_) {
    const std::uint32_t forth = shape_.coordinate(displacement, dimension);
    const std::uint32_t back = shape_.extent(dimension) - forth;
    // Half of the packets to the node opposite go either way.
    if (forth <= back) up += forth == back ? forth / 2.0 : forth;
    if (back <= forth) down += forth == back ? back / 2.0 : back;
  }
  return std::max(up, down);
}

}  // namespace groma::sim::torus
