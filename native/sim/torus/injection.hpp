// Which of its injection FIFOs a node takes for a packet, where it has one for each port, and when.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "sim/torus/worker.hpp"

namespace groma::sim::torus {

/// Bit p is set where port p is on a minimal way; with deterministic routing, only that of dimension order.
inline std::uint32_t first_ports(const Hops& hops, Routing routing) {
  std::uint32_t ports = 0;
  for (std::size_t d = 0; d < kMaxDimensions; ++d) {
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

/// A packet on which a processor works. It comes into its FIFO, which had room for it, when the cost of
/// sending it has been spent.
struct Prepared {
  PacketId packet = kNoPacket;
  std::uint32_t fifo = 0;
};

/// To be called when the processor is free again, before it does anything else.
inline void inject(Adapter& node, Prepared& prepared) {
  if (prepared.packet == kNoPacket) return;
  node.inject(prepared.fifo, std::exchange(prepared.packet, kNoPacket));
}

}  // namespace groma::sim::torus
