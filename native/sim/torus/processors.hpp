// The processors of the nodes as the network sees them: what a workload implements, and what it may ask for.
#pragma once

#include <cstdint>

#include "sim/torus/packet.hpp"

namespace groma::sim::torus {

class Adapter;

/// How many FIFOs each node has, and what a packet carries for the workload.
struct Demands {
  std::uint32_t injection_fifos = 1;
  std::uint32_t reception_fifos = 1;
  std::size_t payload_bytes = 0;
};

/// Calls for different nodes may come from different threads at the same time: what belongs to a node must
/// not be shared. Calls for one node come in the order of simulated time, whatever the number of threads.
class Processors {
 public:
  virtual ~Processors() = default;

  [[nodiscard]] virtual Demands demands() const = 0;
  /// Once for each node, at time 0.
  virtual void start(Adapter& node) = 0;
  /// The time for which Adapter::wake_at asked.
  virtual void wake(Adapter& node) = 0;
  /// Memory for what it keeps of its nodes.
  [[nodiscard]] virtual std::size_t bytes_used() const { return 0; }
  /// What the calls below look at first, some visits before.
  virtual void prefetch_state(Node /*node*/) const {}
  /// What they read if they act before this time. Comes some visits after prefetch_state().
  virtual void prefetch_work(Node /*node*/, PacketPool& /*pool*/, Cycles /*end*/) const {}
  /// A packet is complete in this reception FIFO.
  virtual void received(Adapter& node, std::uint32_t fifo) = 0;
  /// The tail of a packet has left this injection FIFO.
  virtual void injected(Adapter& node, std::uint32_t fifo) = 0;
};

}  // namespace groma::sim::torus
