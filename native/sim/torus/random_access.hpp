// RandomAccess with aggregation and software routing (Aggarwal et al. 2008, sections 4.2 and 4.3): updates of random
// nodes travel digit by digit of the node's number, in buckets of those that share the next stop.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "sim/torus/processors.hpp"

namespace groma::sim::torus {

/// What receiving costs: `single` for one packet, `together` each where `batch` are received in one call; in between,
/// the fixed part of a call is shared (section 4.3.1: 600 and 4 x 330 cycles).
struct ReceiveCost {
  double single = 0.0;
  std::uint32_t batch = 1;
  double together = 0.0;

  [[nodiscard]] double of(std::uint32_t packets) const;
};

struct RandomAccessPlan {
  /// Nodes along each stage of the way: the extents of the torus to route along them, one stage of all nodes to
  /// send directly, stages of 2 for a hypercube. Their product is the number of nodes.
  std::vector<std::uint32_t> stages;
  /// One core for each stage and one that applies updates, or one core that does everything.
  bool specialised = true;
  std::uint32_t bucket = 1;  ///< updates
  std::uint32_t update_bytes = 8;
  /// Cycles for an update beside those of calls: of the core that generates and routes the first stage, of those that
  /// route the next stages, of the one that applies. A single core spends the sum of what it does.
  std::vector<double> own;
  double send = 0.0;  ///< cycles of a call that sends a bucket
  ReceiveCost receive;
  std::uint64_t seed = 1;
};

class RandomAccess : public Processors {
 public:
  RandomAccess(RandomAccessPlan plan, Node nodes);

  [[nodiscard]] Demands demands() const override;
  void start(Adapter& node) override;
  void wake(Adapter& node) override;
  void received(Adapter& node, std::uint32_t fifo) override;
  void injected(Adapter& node, std::uint32_t fifo) override;

  [[nodiscard]] std::uint64_t generated() const;
  /// Cycles for which each core worked, over all nodes.
  [[nodiscard]] std::vector<double> worked() const;

 private:
  static constexpr std::uint32_t kMostReceived = 8;
  static constexpr std::uint32_t kNoBucket = 0xFFFFFFFF;
  static constexpr std::uint8_t kLocal = 128;  ///< Packet::reception of packets between cores, and the pair

  enum class Waits : std::uint8_t { kNot, kForPackets, kForRoom };

  struct Core {
    Cycles at = 0;  ///< its next step
    std::array<PacketId, kMostReceived> packets{};  ///< received and not done, the last one first
    PacketId local_head = kNoPacket;                ///< from other cores of the node
    PacketId local_tail = kNoPacket;
    std::uint32_t full = kNoBucket;  ///< the bucket that it sends
    Waits waits = Waits::kNot;
    std::uint8_t in_hand = 0;    ///< packets
    std::uint16_t position = 0;  ///< in the packet that it works on
    double remainder = 0.0;      ///< of a cycle
    double worked = 0.0;         ///< cycles
    std::uint64_t generated = 0;
  };

  [[nodiscard]] std::uint32_t stages() const { return static_cast<std::uint32_t>(plan_.stages.size()); }
  [[nodiscard]] std::uint32_t cores() const { return plan_.specialised ? stages() + 1 : 1; }
  [[nodiscard]] std::uint32_t digit(Node node, std::uint32_t stage) const {
    return node / strides_[stage] % plan_.stages[stage];
  }
  [[nodiscard]] std::uint32_t next_stage(Node from, Node to, std::uint32_t stage) const;
  [[nodiscard]] std::uint32_t local_bucket(std::uint32_t from, std::uint32_t to) const {
    return local_buckets_ + (from * cores()) + to;
  }
  [[nodiscard]] bool is_local(std::uint32_t bucket) const { return bucket >= local_buckets_; }
  Core& core(Node node, std::uint32_t number) { return cores_[(std::size_t{node} * cores()) + number]; }
  std::uint16_t& filled(Node node, std::uint32_t bucket) {
    return filled_[(std::size_t{node} * buckets_each_) + bucket];
  }
  Node* updates(Node node, std::uint32_t bucket) {
    return &updates_[((std::size_t{node} * buckets_each_) + bucket) * plan_.bucket];
  }

  void run_due(Adapter& node);
  void resume(Adapter& node, std::uint32_t number, Waits reason);
  void step(Adapter& node, std::uint32_t number);
  void spend(Core& core, double cycles) const;
  bool send_full(Adapter& node, Core& core);
  void send_local(Adapter& node, std::uint32_t bucket);
  void send_over_network(Adapter& node, std::uint32_t bucket);
  bool receive(Adapter& node, std::uint32_t number);
  PacketId receive_one(Adapter& node, std::uint32_t number);
  bool process(Adapter& node, std::uint32_t number);
  void finish_packet(Adapter& node, Core& core);
  void generate(Adapter& node, Core& core);
  bool route(Adapter& node, std::uint32_t number, std::uint32_t stage, Node target);

  RandomAccessPlan plan_;
  Node nodes_;
  std::vector<std::uint32_t> strides_;
  std::vector<std::uint32_t> first_bucket_;  ///< of each stage
  std::uint32_t local_buckets_ = 0;          ///< the first of those for other cores
  std::uint32_t buckets_each_ = 0;
  std::vector<Core> cores_;
  std::vector<RandomStream> streams_;
  std::vector<std::uint16_t> filled_;   ///< updates in each bucket
  std::vector<std::uint8_t> underway_;  ///< whether a bucket for another core of the node is not done there
  std::vector<Node> updates_;
};

}  // namespace groma::sim::torus
