#include "sim/torus/pattern.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace groma::sim::torus {
namespace {

Node other_node(Node from, Node nodes, RandomStream& random) {
  const auto drawn = static_cast<Node>(random.below(nodes - 1));
  return drawn + (drawn >= from ? 1 : 0);
}

}  // namespace

Pattern uniform_pattern(const Shape& shape) {
  return [nodes = shape.nodes()](Node from, RandomStream& random) { return other_node(from, nodes, random); };
}

Pattern hot_spot_pattern(const Shape& shape, Node hot, double share) {
  return [nodes = shape.nodes(), hot, share](Node from, RandomStream& random) {
    constexpr double kAll = 18446744073709551616.0;  // 2^64
    if (from != hot && static_cast<double>(random.next()) < share * kAll) return hot;
    return other_node(from, nodes, random);
  };
}

Pattern shift_pattern(const Shape& shape, std::vector<std::uint32_t> offsets) {
  return [shape, offsets = std::move(offsets)](Node from, RandomStream&) {
    std::vector<std::uint32_t> place;
    for (std::size_t d = 0; d < shape.dimensions(); ++d) {
      place.push_back((shape.coordinate(from, d) + offsets[d]) % shape.extent(d));
    }
    return shape.node_at(place);
  };
}

Pattern tornado_pattern(const Shape& shape) {
  std::vector<std::uint32_t> offsets;
  for (std::size_t d = 0; d < shape.dimensions(); ++d) offsets.push_back(((shape.extent(d) + 1) / 2) - 1);
  return shift_pattern(shape, std::move(offsets));
}

Result<Pattern> transpose_pattern(const Shape& shape) {
  for (std::size_t d = 1; d < shape.dimensions(); ++d) {
    if (shape.extent(d) != shape.extent(0)) {
      return Error{"usage", "transpose needs equal extents in all dimensions",
                   "choose a shape such as 8x8x8"};
    }
  }
  return Pattern([shape](Node from, RandomStream&) {
    std::vector<std::uint32_t> place;
    for (std::size_t d = 0; d < shape.dimensions(); ++d) {
      place.push_back(shape.coordinate(from, (d + 1) % shape.dimensions()));
    }
    return shape.node_at(place);
  });
}

Result<Pattern> bit_reverse_pattern(const Shape& shape) {
  if (!std::has_single_bit(shape.nodes())) {
    return Error{"usage", "bit-reverse needs a power of two of nodes, not " + std::to_string(shape.nodes()),
                 "choose a shape such as 8x8x8"};
  }
  const auto bits = static_cast<std::uint32_t>(std::countr_zero(shape.nodes()));
  return Pattern([bits](Node from, RandomStream&) {
    Node reversed = 0;
    for (std::uint32_t i = 0; i < bits; ++i) reversed |= (from >> i & 1U) << (bits - 1 - i);
    return reversed;
  });
}

double uniform_load(const Shape& shape, std::size_t dimension) {
  const double extent = shape.extent(dimension);
  const double others =
      static_cast<double>(shape.nodes()) / (shape.nodes() - 1.0);                  // nobody sends to himself
  const double odd = std::floor(extent / 2.0) * std::ceil(extent / 2.0) / extent;  // L / 4 where L is even
  return others * (shape.is_closed(dimension) ? odd / 2.0 : odd);
}

double uniform_bound(const Shape& shape, const Network& network, std::uint32_t steps) {
  double most = 0.0;
  for (std::size_t d = 0; d < shape.dimensions(); ++d) most = std::max(most, uniform_load(shape, d));
  if (most == 0.0) return std::numeric_limits<double>::infinity();
  const double bytes = steps * network.packet_step;
  return bytes / static_cast<double>(network.wire_time(steps)) / most;
}

}  // namespace groma::sim::torus
