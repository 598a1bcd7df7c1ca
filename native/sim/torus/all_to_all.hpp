// Every node sends a message to every other one, or to a sample of them, directly or by way of an
// intermediate node.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/random.hpp"
#include "sim/torus/destinations.hpp"
#include "sim/torus/injection.hpp"
#include "sim/torus/packet_costs.hpp"
#include "sim/torus/workload.hpp"

namespace groma::sim::torus {

struct AllToAllPlan {
  std::uint32_t bytes = 240;       ///< of each message
  std::uint32_t destinations = 0;  ///< to which each node sends; 0 for all others
  std::uint32_t burst = 1;         ///< packets to a destination before the next one has its turn
  /// First along `phase_dimension` to the node that has the destination's place in it, which stores the
  /// packet and sends it on through the other dimensions (Kumar et al. 2008): links of the long dimension
  /// then never wait for those of the short ones.
  bool two_phases = false;
  std::size_t phase_dimension = 0;
  /// Packets that a node keeps for directions whose FIFO is full, to go on with others.
  std::uint32_t ahead = 0;
  PacketCosts costs;
  std::uint64_t seed = 1;
};

class AllToAll final : public Workload {
 public:
  AllToAll(const AllToAllPlan& plan, const Shape& shape, const Network& network);

  [[nodiscard]] Demands demands() const override;
  void start(Adapter& node) override;
  void wake(Adapter& node) override { advance(node); }
  void received(Adapter& node, std::uint32_t fifo) override;
  void injected(Adapter& node, std::uint32_t /*fifo*/) override { advance(node); }
  void report(const Outcome& outcome, JsonObject& result) const override;
  [[nodiscard]] Places places() const override { return {static_cast<Place>(states_.size()), 1}; }
  void observe(Observer& observer) override { observer_ = &observer; }

  /// Cycles that the busiest dimension needs, could all of its links carry packets all the time.
  [[nodiscard]] double least_time() const { return least_time_; }
  /// When the last message was complete.
  [[nodiscard]] Cycles time() const;
  /// By each node.
  [[nodiscard]] std::uint64_t bytes_sent() const {
    return std::uint64_t{plan_.bytes} * destinations_.count();
  }
  [[nodiscard]] std::uint64_t bytes_received() const;  ///< by all nodes
  /// Whether every node got all messages for it.
  [[nodiscard]] bool is_complete() const;

 private:
  struct Label {
    Node from;
    Node to;
    std::uint32_t bytes;
    Node sender;  ///< the one before, on the way through an intermediate node
  };
  struct Held {
    PacketId packet;
    std::uint32_t ports;  ///< on whose FIFOs it may wait
  };
  struct State {
    CheapPermutation order{1, 0};
    RandomStream random{0};
    BusyTime processor;
    Prepared prepared;
    std::uint32_t at = 0;     ///< in the order of destinations
    std::uint32_t round = 0;  ///< bursts to each
    std::uint32_t in_burst = 0;
    Node next = kNoNode;
    std::uint32_t next_bytes = 0;
    Node stop =
        kNoNode;  ///< where the next packet leaves the network: its destination or the intermediate node
    Hops hops{};
    std::uint32_t waiting = 0;  ///< packets in the reception FIFO
    std::uint64_t bytes = 0;    ///< received for this node
    Cycles last = 0;
    std::deque<PacketId> forward;  ///< stored until an injection FIFO has room
    std::vector<Held> held;        ///< the node's own, in their order
    std::size_t most_stored = 0;
  };

  void advance(Adapter& node);
  bool act(Adapter& node, State& own);
  bool receive(Adapter& node, State& own);
  void take(Adapter& node, State& own, PacketId id);
  bool forward(Adapter& node, State& own);
  bool send(Adapter& node, State& own);
  bool send_held(Adapter& node, State& own);
  PacketId make_packet(Adapter& node, const State& own) const;
  void prepare(Adapter& node, State& own, std::uint32_t fifo, PacketId id) const;
  void choose_next(Adapter& node, State& own);
  void report_waiting(Adapter& node, const State& own) const;
  void report_delivery(Adapter& node, PacketId id) const;
  void step_on(State& own) const;
  [[nodiscard]] Node stop_of(Adapter& node, Node to) const;
  /// A bit for each FIFO on which such a packet may wait.
  [[nodiscard]] std::uint32_t fifos_of(Adapter& node, const Hops& hops, bool own) const;

  AllToAllPlan plan_;
  std::uint32_t ports_;
  Destinations destinations_;
  std::uint32_t packets_;       ///< of a message
  std::uint32_t most_payload_;  ///< of a packet
  double least_time_ = 0.0;
  std::vector<State> states_;
  Observer* observer_ = nullptr;
};

}  // namespace groma::sim::torus
