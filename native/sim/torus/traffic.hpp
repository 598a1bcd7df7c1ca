// Packets to nodes that a pattern chooses, at a rate or as fast as the network takes them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "sim/torus/injection.hpp"
#include "sim/torus/packet_costs.hpp"
#include "sim/torus/pattern.hpp"
#include "sim/torus/workload.hpp"

namespace groma::sim::torus {

struct TrafficPlan {
  Pattern pattern;
  std::uint32_t steps = 8;    ///< of a packet
  std::uint32_t bytes = 256;  ///< of a packet
  double rate = 0.0;          ///< bytes for each node and cycle, at random times; 0 for as fast as it goes
  double bound = 0.0;         ///< what uniform traffic could reach, bytes for each node and cycle
  Cycles warm_up = 0;         ///< before packets count
  Cycles window = 0;          ///< in which they count
  std::uint64_t packets = 0;  ///< that each node sends; 0 to go on until the window ends
  PacketCosts costs;
  std::uint64_t seed = 1;
};

class Traffic final : public Workload {
 public:
  Traffic(TrafficPlan plan, const Shape& shape);

  [[nodiscard]] Demands demands() const override;
  [[nodiscard]] std::uint64_t enough_work() const override { return plan_.packets == 0 ? states_.size() : 0; }
  void start(Adapter& node) override;
  void wake(Adapter& node) override { advance(node); }
  void received(Adapter& node, std::uint32_t fifo) override;
  void injected(Adapter& node, std::uint32_t /*fifo*/) override { advance(node); }
  void report(const Outcome& outcome, JsonObject& result) const override;
  [[nodiscard]] Places places() const override { return {static_cast<Place>(states_.size()), 1}; }
  void observe(Observer& observer) override { observer_ = &observer; }

  /// Of packets that were received within the window.
  struct Count {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    Cycles latency = 0;  ///< sum
    Cycles longest = 0;
    std::uint64_t overtaken = 0;  ///< received after one that the same node had sent to here later
  };
  [[nodiscard]] Count counted() const;
  /// Whether each node got what was sent to it, each packet once. Only where the packets of a node are
  /// limited.
  [[nodiscard]] bool all_arrived_once() const;

 private:
  struct Stamp {
    Cycles born;
    std::uint64_t number;
    Node from;
    Node to;
  };
  struct State {
    RandomStream random{0};
    BusyTime processor;
    Prepared prepared;
    Count count;
    std::uint64_t sent = 0;
    std::uint64_t sent_checks = 0;  ///< of what was sent, summed: what all received must sum up to
    std::uint64_t received_checks = 0;
    std::uint64_t received = 0;
    double due = 0.0;  ///< the next packet is born then
    Node next = kNoNode;
    Hops hops{};
    std::uint32_t ports = 0;
    std::uint32_t waiting = 0;  ///< packets in the reception FIFO
    bool sends_next = false;
    bool ended = false;  ///< its window
  };

  void advance(Adapter& node);
  bool act(Adapter& node, State& own);
  void end_window(Adapter& node, State& own) const;
  bool receive(Adapter& node, State& own);
  void take(Adapter& node, State& own, PacketId id);
  bool send(Adapter& node, State& own);
  void choose_next(Adapter& node, State& own);
  void report_waiting(Adapter& node, const State& own) const;
  [[nodiscard]] Cycles time_counted(Cycles end) const;
  [[nodiscard]] bool has_more(const State& own) const;
  [[nodiscard]] double interval(State& own) const;
  [[nodiscard]] Cycles next_time(const State& own, Cycles now) const;
  [[nodiscard]] Cycles window_end() const { return plan_.warm_up + plan_.window; }

  TrafficPlan plan_;
  std::uint32_t fifos_;
  std::vector<State> states_;
  std::vector<std::uint64_t>
      latest_;  ///< number of the latest packet from each node at each, to see overtaking
  Observer* observer_ = nullptr;
};

/// Up to so many nodes, Traffic counts packets that overtake others.
inline constexpr Node kMaxNodesInOrder = 512;

}  // namespace groma::sim::torus
