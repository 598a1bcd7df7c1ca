// RandomAccess with aggregation and software routing (Aggarwal et al. 2008, sections 4.2 and 4.3): updates of
// random nodes travel digit by digit of the node's number, in buckets of those that share the next stop.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "base/random.hpp"
#include "sim/torus/packet_costs.hpp"
#include "sim/torus/workload.hpp"

namespace groma::sim::torus {

struct RandomAccessPlan {
  /// Nodes along each stage of the way: the extents of the torus to route along them, one stage of all nodes
  /// to send directly, stages of 2 for a hypercube. Their product is the number of nodes.
  std::vector<std::uint32_t> stages;
  /// One core for each stage and one that applies updates, or one core that does everything.
  bool specialised = true;
  std::uint32_t bucket = 1;  ///< updates
  std::uint32_t update_bytes = 8;
  /// Cycles for an update in addition to those of calls: of the core that generates and routes the first
  /// stage, of those that route the next stages, of the one that applies. A single core spends the sum of
  /// what it does.
  std::vector<double> own;
  double send = 0.0;  ///< cycles of a call that sends a bucket
  ReceiveCost receive;
  double poll = 0.0;             ///< cycles between two looks of a core that waits for packets
  std::uint64_t updates = 4096;  ///< to apply, for each node
  std::uint64_t seed = 1;
};

inline constexpr std::uint32_t kMaxReceived = 8;  ///< packets in one call
inline constexpr std::uint32_t kMaxBucket = 255;  ///< counted in the tag of a packet

/// Digits of the numbers of nodes, each in bits of its own: what routes an update looks at nothing else.
class Digits {
 public:
  /// A stage of more than one node has a bit of a node's number, and a torus has few dimensions of one.
  static constexpr std::size_t kMaxStages = 32;

  explicit Digits(const std::vector<std::uint32_t>& stages);

  [[nodiscard]] std::uint32_t of(Node node) const;
  [[nodiscard]] std::uint32_t digit(std::uint32_t digits, std::uint32_t stage) const {
    return digits >> shifts_[stage] & masks_[stage];
  }
  /// The first stage from `stage` on in which two nodes differ, or the number of stages.
  [[nodiscard]] std::uint32_t first_difference(std::uint32_t one, std::uint32_t other,
                                               std::uint32_t stage) const {
    const std::uint32_t difference = (one ^ other) >> shifts_[stage];
    if (difference == 0) return count_;
    return stage_of_bit_[static_cast<std::uint32_t>(std::countr_zero(difference)) + shifts_[stage]];
  }
  /// Those of a node that is drawn from all with the same probability.
  [[nodiscard]] std::uint32_t draw(RandomStream& random) const;
  [[nodiscard]] Node stride(std::uint32_t stage) const { return strides_[stage]; }

 private:
  std::uint32_t count_;  ///< of stages
  std::vector<std::uint32_t> stages_;
  std::vector<Node> strides_;
  std::array<std::uint32_t, kMaxStages + 1> shifts_{};
  std::array<std::uint32_t, kMaxStages> masks_{};
  std::array<std::uint8_t, 32> stage_of_bit_{};
};

class RandomAccess : public Workload {
 public:
  RandomAccess(RandomAccessPlan plan, const Shape& shape);

  [[nodiscard]] Demands demands() const override;
  void start(Adapter& node) override;
  void wake(Adapter& node) override;
  void prefetch_state(Node node) const override;
  void prefetch_work(Node node, PacketPool& pool, Cycles end) const override;
  void received(Adapter& node, std::uint32_t fifo) override;
  void injected(Adapter& node, std::uint32_t fifo) override;
  [[nodiscard]] std::uint64_t enough_work() const override { return plan_.updates * nodes_; }
  [[nodiscard]] std::size_t bytes_used() const override;
  [[nodiscard]] Places places() const override { return {nodes_ * cores(), cores()}; }
  void observe(Observer& observer) override;
  /// `loads`: the share of the time for which each core worked; `bucket`; `waiting`.
  void report(const Outcome& outcome, JsonObject& result) const override;

  [[nodiscard]] std::uint64_t generated() const;
  /// Updates in buckets, and in packets that were received or come from another core of the node and are not
  /// done.
  [[nodiscard]] std::uint64_t held() const;
  /// Updates that have come to nodes which have not dealt with them, those in reception FIFOs included. They
  /// grow with time where FIFOs have no bound and some nodes receive all the time, so that they generate
  /// none.
  [[nodiscard]] std::uint64_t waiting(const Outcome& outcome) const;
  /// Updates that were applied at nodes where they do not belong: always 0, or the simulation is wrong.
  [[nodiscard]] std::uint64_t astray() const;
  /// Cycles for which each core worked until `end`, over all nodes. Its last step may take longer.
  [[nodiscard]] std::vector<double> worked(Cycles end) const;

 private:
  static constexpr std::uint32_t kNoBucket = 0xFFFFFFFF;
  /// Packet::reception of packets between cores, and the pair; of packets whose place is free.
  static constexpr std::uint8_t kLocal = 128;
  static constexpr std::uint8_t kSetAside = kLocal - 1;

  /// Of a cycle; costs are fractions of cycles.
  static constexpr unsigned kFractionBits = 10;
  static constexpr std::int64_t kFraction = (std::int64_t{1} << kFractionBits) - 1;

  /// What role r of a node does: it deals with packets that came by stage r - 1, or generates updates if r is
  /// 0, and so sends by stage r and later ones. A specialised core has one role, a single core has all.
  struct Role {
    PacketId head = kNoPacket;  ///< received and not done
    PacketId tail = kNoPacket;
    std::uint32_t full = kNoBucket;  ///< the bucket that waits to go by stage r
    std::uint16_t position = 0;      ///< in the first packet
  };

  /// What an observer gets to know of a packet; behind its updates.
  struct Origin {
    Cycles called;  ///< the call that sends it
    Node node;
  };

  enum class Step : std::uint8_t { kNothing, kComputed, kFilledBucket, kReceived };

  struct Core {
    PacketId local_head = kNoPacket;  ///< from other cores of the node
    PacketId local_tail = kNoPacket;
    bool local_next = false;  ///< looks first for packets of other cores of the node
    bool works = false;       ///< until its next step
    Cycles worked = 0;
    std::int64_t fractions = 0;  ///< of cycles, worked in addition: of its step, or what is left of a cycle
    Cycles waits_since = 0;
    std::uint64_t generated = 0;  ///< updates
    std::uint64_t held = 0;       ///< updates in packets for it at its node that it has not dealt with
    std::uint64_t astray = 0;     ///< updates
  };

  /// What routing updates at a node reads and writes.
  struct Buckets {
    Core& core;
    Role* roles;
    std::uint8_t* filled;
    std::uint32_t* updates;
    std::uint32_t here;  ///< digits of the node
  };

  /// Updates in packets that were received, or come from another core of the node, and are not done.
  [[nodiscard]] std::uint64_t in_hand() const;
  [[nodiscard]] std::uint32_t stages() const { return stages_; }
  [[nodiscard]] std::uint32_t cores() const { return cores_each_; }
  /// The core that has a role, the first of its roles, and the first after them.
  [[nodiscard]] std::uint32_t core_of(std::uint32_t role) const { return plan_.specialised ? role : 0; }
  [[nodiscard]] std::uint32_t first_role(std::uint32_t core) const { return core; }
  [[nodiscard]] std::uint32_t end_of_roles(std::uint32_t core) const {
    return plan_.specialised ? core + 1 : stages() + 1;
  }
  [[nodiscard]] std::uint32_t local_bucket(std::uint32_t from, std::uint32_t to) const {
    return local_buckets_ + (from * cores()) + to;
  }
  [[nodiscard]] bool is_local(std::uint32_t bucket) const { return bucket >= local_buckets_; }
  /// The next step of each core; kNever while it waits for packets, or for room for a bucket.
  Cycles* times(Node node) { return &times_[std::size_t{node} * cores()]; }
  Core& core(Node node, std::uint32_t number) { return cores_[(std::size_t{node} * cores()) + number]; }
  Role& role(Node node, std::uint32_t number) {
    return roles_[(std::size_t{node} * (stages() + 1)) + number];
  }
  std::uint8_t& underway(Node node, std::uint32_t pair) {
    return underway_[(std::size_t{node} * cores() * cores()) + pair];
  }
  std::uint8_t& filled(Node node, std::uint32_t bucket) {
    return filled_[(std::size_t{node} * buckets_each_) + bucket];
  }
  std::uint32_t* updates(Node node, std::uint32_t bucket) {
    return &updates_[((std::size_t{node} * buckets_each_) + bucket) * plan_.bucket];
  }

  [[nodiscard]] std::uint32_t first_due(const Cycles* times) const;
  void run_due(Adapter& node);
  bool notice_packet(Adapter& node, std::uint32_t role);
  bool notice_room(Adapter& node, std::uint32_t role);
  Step step(Adapter& node, std::uint32_t number);
  void report_step(Adapter& node, std::uint32_t number, Step step, Cycles computed);
  void report_delivery(Adapter& node, std::uint32_t role, PacketId id);
  std::uint32_t first_able(Node node, std::uint32_t number);
  void send_full(Adapter& node, Role& role);
  void send_local(Adapter& node, std::uint32_t bucket);
  void send_over_network(Adapter& node, std::uint32_t bucket, std::uint32_t stage);
  PacketId fill_packet(Adapter& node, std::uint32_t bucket);
  bool receive(Adapter& node, std::uint32_t number, std::uint32_t able);
  bool receive_from_core(Adapter& node, std::uint32_t number, std::uint32_t able);
  bool receive_from_network(Adapter& node, std::uint32_t number, std::uint32_t able);
  void take_in_hand(Adapter& node, std::uint32_t role, PacketId id);
  static void set_aside(Adapter& node, Packet& packet);
  static void set_aside_all(Adapter& node, const Role& role);
  bool next_packet(Adapter& node, std::uint32_t role);
  bool process(Adapter& node, std::uint32_t role);
  void finish_packet(Adapter& node, Role& own);
  bool generate(Adapter& node);
  Buckets buckets(Node node, std::uint32_t role);
  bool route(Adapter& node, const Buckets& own, std::uint32_t role, std::uint32_t target) const;

  RandomAccessPlan plan_;
  Node nodes_;
  std::uint32_t stages_;
  std::uint32_t cores_each_;
  Digits digits_;
  std::vector<std::int64_t> own_;      ///< fractions of cycles
  std::vector<std::int64_t> receive_;  ///< by packets
  std::int64_t send_;
  Cycles poll_;
  std::vector<std::uint32_t> first_bucket_;  ///< of each stage
  std::vector<std::uint8_t> stage_of_;       ///< each bucket for another node
  std::vector<bool> sets_aside_;     ///< whether a role does that with packets that it cannot deal with
  std::uint32_t local_buckets_ = 0;  ///< the first of those for other cores
  std::uint32_t buckets_each_ = 0;
  HugeVector<Core> cores_;
  HugeVector<Role> roles_;
  HugeVector<Cycles> times_;        ///< of their next steps
  HugeVector<std::uint32_t> here_;  ///< digits of each node
  HugeVector<RandomStream> streams_;
  HugeVector<std::uint8_t> filled_;    ///< updates in each bucket
  HugeVector<std::uint8_t> underway_;  ///< whether a bucket for another core of the node is not done there
  HugeVector<std::uint32_t> updates_;  ///< digits of their nodes
  Observer* observer_ = nullptr;
  std::vector<Cycles> called_;  ///< of each role's full bucket, for the observer
};

}  // namespace groma::sim::torus
