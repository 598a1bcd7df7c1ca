// One thread's share of the nodes: moves their packets through a window of time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/torus/fabric.hpp"
#include "sim/torus/far_calls.hpp"
#include "sim/torus/histogram.hpp"
#include "sim/torus/packet.hpp"
#include "sim/torus/prefetcher.hpp"
#include "sim/torus/processors.hpp"

namespace groma::sim::torus {

/// What the nodes of a worker have done so far.
struct Tally {
  std::uint64_t injected = 0;
  std::uint64_t received = 0;
  std::uint64_t packet_hops = 0;
  std::uint64_t bytes = 0;   ///< of packets that were received, headers included
  std::uint64_t work = 0;    ///< as the workload counts it
  std::uint64_t timers = 0;  ///< nodes whose processors will wake
  std::uint64_t moves = 0;   ///< of packets from one queue to the next; to see that nothing moves any more
  std::uint64_t visits = 0;  ///< of nodes
};

class Worker {
 public:
  /// For the nodes from `first` to `last`, exclusive.
  Worker(Fabric& fabric, PacketPool& pool, Processors& processors, Node first, Node last);

  [[nodiscard]] Node first() const { return first_; }
  [[nodiscard]] Node last() const { return last_; }

  void start(Node node);
  /// All that happens within the window at the nodes that were called for it. `prefetches`: whether it does
  /// that with what visits read.
  void visit_called(std::uint64_t window, bool prefetches);
  /// The first window after this one for which a node is called so far, or kNoWindow. Threads that visit
  /// nodes meanwhile may call for earlier ones.
  [[nodiscard]] std::uint64_t next_called(std::uint64_t window) const;

  [[nodiscard]] const Tally& tally() const { return tally_; }
  /// When something last happened at one of the nodes.
  [[nodiscard]] Cycles latest() const { return latest_; }
  [[nodiscard]] const Histogram& latencies() const { return latencies_; }

 private:
  friend class Adapter;

  /// Where the packets of a queue come from, and whether it is a channel of the escape kind.
  struct QueueKind {
    Port port = 0;  ///< by which its packets came, as the sender calls it
    bool injects = false;
    bool escapes = false;
  };
  struct Offer {
    std::uint32_t links = 0;
    std::uint64_t takers = 0;  ///< queues
  };
  static constexpr std::size_t kMaxArrivals = 2 * kMaxDimensions * kMaxArrivalsOfLink;

  void visit(Node node, std::uint64_t window);
  void prefetch_then_visit(std::uint64_t window);
  void enter(Node node, std::uint64_t window);
  [[nodiscard]] std::size_t first_word() const { return first_ / kNodesPerWord; }
  [[nodiscard]] std::size_t last_word() const {
    return (std::size_t{last_} + kNodesPerWord - 1) / kNodesPerWord;
  }
  [[nodiscard]] bool is_mine(Node node) const { return node >= first_ && node < last_; }
  [[nodiscard]] Link& link_of(Port port) const { return fabric_.link(state_, port); }
  [[nodiscard]] Queue& queue_of(std::uint32_t number) const { return fabric_.queue(state_, number); }
  void step();
  void call(Cycles at);
  void call_neighbour(Node node, std::uint64_t window);
  void collect_tokens();
  void note_refilled();
  void collect_arrivals();
  [[nodiscard]] Cycles next_event();
  void await_tail(std::uint32_t queue);
  void finish_streams();
  void receive(PacketId id);
  void enqueue(std::uint32_t queue, PacketId id);
  void show_head(std::uint32_t queue);
  void request_links(std::uint32_t queue);
  void withdraw_head(std::uint32_t queue);
  void deliver(std::uint32_t queue);
  void admit(std::uint32_t fifo);
  void arbitrate();
  [[nodiscard]] Offer offer(std::uint32_t links) const;
  [[nodiscard]] std::uint64_t requesters_before(Port port) const;
  [[nodiscard]] std::uint32_t most_pressing(std::uint64_t asking, std::uint32_t turn) const;
  Port try_to_send(std::uint32_t queue, std::uint32_t offered);
  void send(std::uint32_t queue, Port port, std::uint32_t channel);
  void stream_out(std::uint32_t queue, Cycles duration);
  void return_tokens(std::uint32_t queue, std::uint32_t steps, Cycles at);
  [[nodiscard]] bool enters_ring(std::uint32_t queue, Port port) const;
  void starve(Port port);
  void end_stall(Port port);

  Fabric& fabric_;
  PacketPool& pool_;
  PacketPool::List packets_;
  Processors& processors_;
  Tally tally_;
  Cycles latest_ = 0;
  Histogram latencies_;

  // The node that is being visited.
  Node node_ = kNoNode;
  std::uint64_t window_ = 0;
  Cycles begin_ = 0;  ///< of the window
  Cycles now_ = 0;
  Cycles end_ = 0;
  Router* router_ = nullptr;
  std::byte* state_ = nullptr;
  std::int16_t* tokens_ = nullptr;
  bool contended_ = false;             ///< something changed that may let a packet go
  bool collected_ = false;             ///< tokens, in this visit
  std::uint64_t refilled_queues_ = 0;  ///< whose tokens were collected in this visit
  std::uint32_t refilled_ = 0;         ///< the links with requesters that these tokens are for
  std::size_t arrived_ = 0;            ///< arrivals that have been dealt with
  std::size_t arrivals_end_ = 0;
  std::array<Arrival, kMaxArrivals> arrivals_;

  std::vector<Node> called_;
  FarCalls far_calls_;

  Node first_;
  Node last_;
  Prefetcher prefetcher_;
  std::uint32_t usual_steps_ = 1;  ///< of the last packet that went
  std::uint32_t escape_;           ///< the number of the escape channel
  std::array<QueueKind, kMaxQueues> kinds_{};
};

/// What the processors of a node may do while the worker visits it.
class Adapter {
 public:
  explicit Adapter(Worker& worker) : worker_(worker) {}

  [[nodiscard]] Node node() const { return worker_.node_; }
  [[nodiscard]] Cycles now() const { return worker_.now_; }
  [[nodiscard]] const Shape& shape() const { return worker_.fabric_.shape(); }
  [[nodiscard]] const Network& network() const { return worker_.fabric_.network(); }

  /// A packet to fill in.
  [[nodiscard]] PacketId take_packet() { return worker_.packets_.take(); }
  [[nodiscard]] Packet& packet(PacketId id) { return worker_.pool_[id]; }
  template <class T>
  [[nodiscard]] T* payload(PacketId id) {
    return worker_.pool_.payload<T>(id);
  }
  void give_back(PacketId id) { worker_.packets_.give_back(id); }

  /// Packets in an injection FIFO, the one that is leaving included.
  [[nodiscard]] std::uint32_t injecting(std::uint32_t fifo) const;
  [[nodiscard]] bool may_inject(std::uint32_t fifo) const {
    return injecting(fifo) < network().injection_packets;
  }
  /// Now; may_inject() must hold.
  void inject(std::uint32_t fifo, PacketId id);

  /// Takes the first complete packet of a reception FIFO, or none. Its place stays taken.
  PacketId receive(std::uint32_t fifo);
  /// The place of a packet that was received is free for another.
  void free_place(std::uint32_t fifo);

  /// Has the processors woken at this time, not before now; kNever for not at all. The last call counts.
  void wake_at(Cycles time);

  /// Adds to what the run has done.
  void count_work(std::uint64_t amount) { worker_.tally_.work += amount; }

 private:
  Worker& worker_;
};

}  // namespace groma::sim::torus
