#include "survey/chase.hpp"

#include <bit>
#include <numeric>

#include "base/clock.hpp"
#include "base/do_not_optimize.hpp"

namespace groma::survey {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kUnroll = 16;

/// Where node number `slot` lies.
struct Layout {
  std::byte* start;
  std::size_t stride;
  std::size_t jitter;
  Link* node(std::uint32_t slot) const {
    return reinterpret_cast<Link*>(start + slot * stride + slot % jitter * kLine);
  }
};

std::vector<std::uint32_t> random_permutation(std::size_t size, RandomStream random) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(std::span(order), random);
  return order;
}

}  // namespace

ChaseOrder::ChaseOrder(std::size_t max_nodes, RandomStream random) {
  for (unsigned octave = 0; octave == 0 || (std::size_t{1} << (octave - 1)) < max_nodes; ++octave) {
    octaves_.push_back(random_permutation(std::size_t{1} << octave, random.fork(octave)));
  }
}

std::span<const std::uint32_t> ChaseOrder::table_for(std::size_t nodes) const {
  return octaves_.at(static_cast<std::size_t>(std::bit_width(nodes - 1)));
}

Link* ChaseOrder::link(std::byte* start, std::size_t nodes, std::size_t stride, std::size_t jitter) const {
  const Layout layout{start, stride, jitter};
  Link* first = nullptr;
  Link* previous = nullptr;
  for (const std::uint32_t slot : table_for(nodes)) {
    if (slot >= nodes) continue;
    Link* const node = layout.node(slot);
    if (previous == nullptr) {
      first = node;
    } else {
      previous->next = node;
    }
    previous = node;
  }
  previous->next = first;
  return first;
}

void ChaseOrder::read_all(std::byte* start, std::size_t nodes, std::size_t stride, std::size_t jitter) const {
  const Layout layout{start, stride, jitter};
  for (const std::uint32_t slot : table_for(nodes)) {
    if (slot < nodes) do_not_optimize(layout.node(slot)->next);
  }
}

Link* link_cycle(std::span<Link* const> nodes) {
  Link* previous = nodes.back();
  for (Link* const node : nodes) previous = previous->next = node;
  return nodes.front();
}

Link* walk(Link* at, std::size_t loads) {
  for (std::size_t done = 0; done < loads; done += kUnroll) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kUnroll; ++i) at = do_not_optimize(at->next);
  }
  return at;
}

TimedWalk time_walk(Link* at, std::size_t loads) {
  const std::size_t steps = (loads + kUnroll - 1) / kUnroll * kUnroll;
  const std::int64_t start = monotonic_ns();
  Link* const end = do_not_optimize(walk(at, steps));
  const std::int64_t stop = monotonic_ns();
  return {end, between(start, stop) / static_cast<double>(steps)};
}

}  // namespace groma::survey
