// Brings what visits to nodes read into the caches ahead of them: the memory of a node is cold when its turn
// comes, because all others were visited in between.
#pragma once

#include <array>
#include <cstdint>

#include "sim/torus/fabric.hpp"
#include "sim/torus/packet.hpp"
#include "sim/torus/processors.hpp"

namespace groma::sim::torus {

/// In three stages, some visits apart, each of which reads what the one before brought.
class Prefetcher {
 public:
  Prefetcher(Fabric& fabric, PacketPool& pool, const Processors& processors);

  /// The next stages are for visits of this window. `steps`: of the packets that are usual now.
  void enter(std::uint64_t window, std::uint32_t steps);
  /// The router with its inboxes and all its ports: to find out which of them a visit reads takes longer than
  /// to prefetch those that it does not read.
  void prefetch_router(Node node) const;
  /// Packets that arrive, and the state of processors that act.
  void prefetch_arrivals(Node node) const;
  /// Where packets go if they go straight on; packets that come to the front of their queues, and what the
  /// processors read.
  void prefetch_ways(Node node) const;

 private:
  void prefetch_straight(std::byte* state, Port port) const;
  [[nodiscard]] bool processors_act(const Router& router) const;

  Fabric& fabric_;
  PacketPool& pool_;
  const Processors& processors_;
  std::uint64_t injection_ = 0;  ///< the injection FIFOs among the queues
  std::array<std::uint8_t, kMaxQueues> port_of_{};

  std::uint64_t window_ = 0;
  Cycles end_ = 0;              ///< of the window
  std::uint64_t arrival_ = 0;   ///< the window in which packets arrive that go now
  std::uint64_t returned_ = 0;  ///< the first in which their tokens come back; or they do in the one after
};

}  // namespace groma::sim::torus
