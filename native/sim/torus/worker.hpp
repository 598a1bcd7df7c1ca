// One thread's share of the nodes: moves their packets through a window of time.
#pragma once

#include <cstdint>

#include "sim/torus/fabric.hpp"
#include "sim/torus/histogram.hpp"
#include "sim/torus/packet.hpp"
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
};

class Worker {
 public:
  Worker(Fabric& fabric, PacketPool& pool, Processors& processors)
      : fabric_(fabric), pool_(pool), packets_(pool), processors_(processors) {}

  void start(Node node);
  /// All that happens at a node within the window.
  void visit(Node node, std::uint64_t window);

  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] const Histogram& latencies() const { return latencies_; }

 private:
  friend class Adapter;

  [[nodiscard]] std::uint32_t slot() const { return static_cast<std::uint32_t>(window_); }

  void collect_tokens();
  void collect_arrivals();
  [[nodiscard]] Cycles next_event(std::size_t first_arrival) const;
  void finish_streams();
  void enqueue(std::uint32_t queue, PacketId id);
  void show_head(std::uint32_t queue);
  void withdraw_head(std::uint32_t queue);
  void deliver(std::uint32_t queue);
  void receive(PacketId id);
  void arbitrate();
  bool try_to_send(std::uint32_t queue, std::uint32_t free_links);
  void send(std::uint32_t queue, Port port, std::uint32_t channel);
  void stream_out(std::uint32_t queue, Cycles duration);
  [[nodiscard]] bool enters_ring(std::uint32_t queue, Port port) const;
  void note_stall(Link& link);
  void admit_blocked();

  Fabric& fabric_;
  PacketPool& pool_;
  PacketPool::List packets_;
  Processors& processors_;
  Tally tally_;
  Histogram latencies_;

  // The node that is being visited.
  Node node_ = kNoNode;
  std::uint64_t window_ = 0;
  Cycles now_ = 0;
  Cycles end_ = 0;
  Router* router_ = nullptr;
  Link* links_ = nullptr;
  Queue* queues_ = nullptr;
  bool contended_ = false;  ///< something changed that may let a packet go
  std::vector<Arrival> arrivals_;
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
