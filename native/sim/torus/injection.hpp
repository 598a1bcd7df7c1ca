// Which of its injection FIFOs a node takes for a packet, where it has one for each port.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/torus/worker.hpp"

namespace groma::sim::torus {

/// Bit p is set where port p is on a minimal way; with deterministic routing, only that of dimension order.
inline std::uint32_t first_ports(const Hops& hops, Routing routing) {
  std::uint32_t ports = 0;
  for (std::size_t d = 0; d < kMostDimensions; ++d) {
    if (hops[d] == 0) continue;
    ports |= 1U << ((2 * d) + (hops[d] < 0 ? 1U : 0U));
    if (routing == Routing::kDeterministic) break;
  }
  return ports;
}

/// The FIFO with the fewest packets among those of `ports`; the first of equal ones.
inline std::uint32_t emptiest_fifo(const Adapter& node, std::uint32_t ports) {
  auto best = static_cast<std::uint32_t>(std::countr_zero(ports));
  for (std::uint32_t left = ports & (ports - 1); left != 0; left &= left - 1) {
    const auto fifo = static_cast<std::uint32_t>(std::countr_zero(left));
    if (node.injecting(fifo) < node.injecting(best)) best = fifo;
  }
  return best;
}

}  // namespace groma::sim::torus
