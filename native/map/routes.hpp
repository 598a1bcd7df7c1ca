// The links that a message crosses, numbered, as groma.interconnect routes them.
#pragma once

#include <cstddef>

#include "map/target.hpp"

namespace groma::map {

/// Both directions of all links of a lattice: those of one place follow each other.
inline std::size_t links_of(const Lattice& lattice) {
  return lattice.places() * 2 * lattice.extents().size();
}

/// One dimension after the other, the first one first, the shorter way round, where both are as long in the
/// positive direction.
template <class Visit>
void for_each_link(const Lattice& lattice, Place from, Place to, const Visit& visit) {
  const std::size_t axes = lattice.extents().size();
  std::uint32_t stride = 1;
  std::uint32_t at = from;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::uint32_t extent = lattice.extents()[axis];
    std::uint32_t here = lattice.coordinate(from, axis);
    const std::uint32_t there = lattice.coordinate(to, axis);
    const std::uint32_t forward = there >= here ? there - here : there + extent - here;
    const bool backward = lattice.closed() ? 2 * forward > extent : there < here;
    const std::uint32_t steps = backward ? (here >= there ? here - there : here + extent - there) : forward;
    for (std::uint32_t step = 0; step < steps; ++step) {
      visit((std::size_t{at} * axes + axis) * 2 + (backward ? 1 : 0));
      const std::uint32_t next =
          backward ? (here == 0 ? extent - 1 : here - 1) : (here + 1 == extent ? 0 : here + 1);
      at = at - here * stride + next * stride;
      here = next;
    }
    stride *= extent;
  }
}

/// The links upwards of all switches below the top and of all places, then those downwards.
inline std::size_t links_of(const Tree& tree) {
  std::size_t links = tree.places();
  for (std::size_t level = 1; level < tree.arities().size(); ++level)
    links += tree.places() / tree.below(level);
  return 2 * links;
}

template <class Visit>
void for_each_link(const Tree& tree, Place from, Place to, const Visit& visit) {
  const std::size_t half = links_of(tree) / 2;
  std::size_t first = 0;
  for (std::size_t level = 1; level <= tree.arities().size(); ++level) {
    const std::uint32_t below = level < tree.arities().size() ? tree.below(level) : 1;
    const std::uint32_t up = from / below;
    const std::uint32_t down = to / below;
    if (up != down) {
      visit(first + up);
      visit(half + first + down);
    }
    first += tree.places() / below;
  }
}

}  // namespace groma::map
