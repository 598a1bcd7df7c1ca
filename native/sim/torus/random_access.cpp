#include "sim/torus/random_access.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/torus/worker.hpp"

namespace groma::sim::torus {

double ReceiveCost::of(std::uint32_t packets) const {
  if (batch <= 1) return single * packets;
  // One call costs a + b p: single = a + b, together * batch = a + b * batch.
  const double each = ((together * batch) - single) / (batch - 1.0);
  return single + (each * (packets - 1.0));
}

RandomAccess::RandomAccess(RandomAccessPlan plan, Node nodes) : plan_(std::move(plan)), nodes_(nodes) {
  std::uint32_t stride = 1;
  std::uint32_t buckets = 0;
  for (const std::uint32_t stage : plan_.stages) {
    strides_.push_back(stride);
    first_bucket_.push_back(buckets);
    stride *= stage;
    buckets += stage;
  }
  local_buckets_ = buckets;
  buckets_each_ = buckets + (plan_.specialised ? cores() * cores() : 0);
  cores_.resize(std::size_t{nodes} * cores());
  filled_.resize(std::size_t{nodes} * buckets_each_);
  underway_.resize(std::size_t{nodes} * cores() * cores());
  updates_.resize(filled_.size() * plan_.bucket);
  const RandomStream seed(plan_.seed);
  for (Node node = 0; node < nodes; ++node) streams_.push_back(seed.fork(node));
}

Demands RandomAccess::demands() const {
  return {stages(), stages(), plan_.bucket * sizeof(Node)};
}

/// Nodes begin at different times, as after a barrier of a real machine, so that their buckets fill at different times.
void RandomAccess::start(Adapter& node) {
  const double first_bucket = plan_.own[0] * plan_.bucket * plan_.stages[0];
  core(node.node(), 0).at = static_cast<Cycles>(streams_[node.node()].below(static_cast<std::uint64_t>(first_bucket) + 1));
  for (std::uint32_t number = 1; number < cores(); ++number) {
    core(node.node(), number).at = kNever;
    core(node.node(), number).waits = Waits::kForPackets;
  }
  node.wake_at(core(node.node(), 0).at);
}

void RandomAccess::wake(Adapter& node) {
  run_due(node);
}

void RandomAccess::received(Adapter& node, std::uint32_t fifo) {
  resume(node, plan_.specialised ? fifo + 1 : 0, Waits::kForPackets);
  run_due(node);
}

void RandomAccess::injected(Adapter& node, std::uint32_t fifo) {
  resume(node, plan_.specialised ? fifo : 0, Waits::kForRoom);
  run_due(node);
}

void RandomAccess::resume(Adapter& node, std::uint32_t number, Waits reason) {
  Core& own = core(node.node(), number);
  if (own.waits != reason) return;
  own.waits = Waits::kNot;
  own.at = node.now();
}

/// Steps of cores that are due; one may be due again after another has made room for it.
void RandomAccess::run_due(Adapter& node) {
  Cycles next = kNever;
  for (bool ran = true; ran;) {
    ran = false;
    next = kNever;
    for (std::uint32_t number = 0; number < cores(); ++number) {
      if (core(node.node(), number).at <= node.now()) {
        step(node, number);
        ran = true;
      }
      next = std::min(next, core(node.node(), number).at);
    }
  }
  node.wake_at(next);
}

/// What a core does next. A step that takes no time is followed by another at once.
void RandomAccess::step(Adapter& node, std::uint32_t number) {
  Core& own = core(node.node(), number);
  if (own.full != kNoBucket && !send_full(node, own)) {
    own.waits = Waits::kForRoom;
    own.at = kNever;
    return;
  }
  own.at = node.now();
  if (process(node, number) || receive(node, number)) return;
  if (number == 0) {
    generate(node, own);
    return;
  }
  own.waits = Waits::kForPackets;
  own.at = kNever;
}

void RandomAccess::spend(Core& core, double cycles) const {
  core.worked += cycles;
  const double whole = std::floor(core.remainder + cycles);
  core.remainder += cycles - whole;
  core.at += static_cast<Cycles>(whole);
}

/// Whether the full bucket is gone. Each stage has one packet on its way into the network (section 4.3.1: "at most one
/// full bucket for routing nodes along each dimension"), and each pair of cores has one between them.
bool RandomAccess::send_full(Adapter& node, Core& core) {
  const std::uint32_t bucket = core.full;
  if (is_local(bucket)) {
    if (underway_[(std::size_t{node.node()} * cores() * cores()) + bucket - local_buckets_] != 0) return false;
    send_local(node, bucket);
  } else {
    const auto stage = static_cast<std::uint32_t>(
        std::upper_bound(first_bucket_.begin(), first_bucket_.end(), bucket) - first_bucket_.begin() - 1);
    if (!node.may_inject(stage)) return false;
    send_over_network(node, bucket);
  }
  filled(node.node(), bucket) = 0;
  core.full = kNoBucket;
  return true;
}

void RandomAccess::send_local(Adapter& node, std::uint32_t bucket) {
  const std::uint32_t pair = bucket - local_buckets_;
  const PacketId id = node.take_packet();
  Packet& packet = node.packet(id);
  packet.tag = static_cast<std::uint8_t>(filled(node.node(), bucket));
  packet.reception = static_cast<std::uint8_t>(kLocal + pair);
  packet.next = kNoPacket;
  std::copy_n(updates(node.node(), bucket), packet.tag, node.payload<Node>(id));
  underway_[(std::size_t{node.node()} * cores() * cores()) + pair] = 1;
  Core& target = core(node.node(), pair % cores());
  (target.local_head == kNoPacket ? target.local_head : node.packet(target.local_tail).next) = id;
  target.local_tail = id;
  resume(node, pair % cores(), Waits::kForPackets);
}

void RandomAccess::send_over_network(Adapter& node, std::uint32_t bucket) {
  const Node here = node.node();
  const auto stage = static_cast<std::uint32_t>(
      std::upper_bound(first_bucket_.begin(), first_bucket_.end(), bucket) - first_bucket_.begin() - 1);
  const std::uint32_t there = bucket - first_bucket_[stage];
  const Node target = here + ((there - digit(here, stage)) * strides_[stage]);
  const PacketId id = node.take_packet();
  Packet& packet = node.packet(id);
  packet.tag = static_cast<std::uint8_t>(filled(here, bucket));
  packet.reception = static_cast<std::uint8_t>(stage);
  packet.steps = static_cast<std::uint8_t>(node.network().steps_of(packet.tag * plan_.update_bytes));
  packet.routing = node.network().routing;
  packet.hops = node.shape().hops(here, target, static_cast<std::uint32_t>(streams_[here].next()));
  std::copy_n(updates(here, bucket), packet.tag, node.payload<Node>(id));
  node.inject(stage, id);
}

bool RandomAccess::receive(Adapter& node, std::uint32_t number) {
  Core& own = core(node.node(), number);
  const std::uint32_t most = std::clamp<std::uint32_t>(plan_.receive.batch, 1, kMostReceived);
  while (own.in_hand < most) {
    const PacketId id = receive_one(node, number);
    if (id == kNoPacket) break;
    own.packets[own.in_hand++] = id;
  }
  if (own.in_hand == 0) return false;
  std::reverse(own.packets.begin(), own.packets.begin() + own.in_hand);
  own.position = 0;
  spend(own, plan_.receive.of(own.in_hand));
  return true;
}

PacketId RandomAccess::receive_one(Adapter& node, std::uint32_t number) {
  Core& own = core(node.node(), number);
  if (const PacketId id = own.local_head; id != kNoPacket) {
    own.local_head = node.packet(id).next;
    return id;
  }
  if (plan_.specialised) return number == 0 ? kNoPacket : node.receive(number - 1);
  for (std::uint32_t stage = stages(); stage-- > 0;) {  // updates that are nearly there first
    if (const PacketId id = node.receive(stage); id != kNoPacket) return id;
  }
  return kNoPacket;
}

/// The updates of one packet, or as many of them as fill a bucket. False where there is none.
bool RandomAccess::process(Adapter& node, std::uint32_t number) {
  Core& own = core(node.node(), number);
  if (own.in_hand == 0) return false;
  const PacketId id = own.packets[own.in_hand - 1U];
  const Packet& packet = node.packet(id);
  if (own.position == packet.tag) {
    finish_packet(node, own);
    return process(node, number);
  }
  const Node* targets = node.payload<Node>(id);
  const std::uint32_t stage = plan_.specialised ? number : packet.reception + 1U;
  while (own.position < packet.tag) {
    const Node target = targets[own.position++];
    spend(own, plan_.own[plan_.specialised ? number : 1]);
    if (route(node, number, stage, target)) break;
  }
  return true;
}

/// Its place is free only now that it is done.
void RandomAccess::finish_packet(Adapter& node, Core& own) {
  const PacketId id = own.packets[--own.in_hand];
  const std::uint8_t from = node.packet(id).reception;
  own.position = 0;
  node.give_back(id);
  if (from < kLocal) {
    node.free_place(from);
    return;
  }
  underway_[(std::size_t{node.node()} * cores() * cores()) + from - kLocal] = 0;
  resume(node, static_cast<std::uint32_t>(from - kLocal) / cores(), Waits::kForRoom);
}

/// Updates until a bucket is full, but not more than a bucket at once: packets may have come.
void RandomAccess::generate(Adapter& node, Core& own) {
  for (std::uint32_t i = 0; i < plan_.bucket; ++i) {
    const auto target = static_cast<Node>(streams_[node.node()].below(nodes_));
    spend(own, plan_.own[0]);
    ++own.generated;
    if (route(node, 0, 0, target)) return;
  }
}

/// Applies an update that is where it belongs, else puts it into a bucket. Whether that is full now.
bool RandomAccess::route(Adapter& node, std::uint32_t number, std::uint32_t stage, Node target) {
  const Node here = node.node();
  Core& own = core(here, number);
  const std::uint32_t next = next_stage(here, target, stage);
  const bool applies = next == stages() && (!plan_.specialised || number == stages());
  if (applies) {
    if (!plan_.specialised) spend(own, plan_.own[2]);
    node.count_work(1);
    return false;
  }
  const bool local = plan_.specialised && next != number;
  const std::uint32_t bucket = local ? local_bucket(number, next) : first_bucket_[next] + digit(target, next);
  updates(here, bucket)[filled(here, bucket)++] = target;
  if (filled(here, bucket) < plan_.bucket) return false;
  own.full = bucket;
  spend(own, plan_.send);
  return true;
}

/// The first stage from this one on in which the nodes differ, or the number of stages.
std::uint32_t RandomAccess::next_stage(Node from, Node to, std::uint32_t stage) const {
  while (stage < stages() && digit(from, stage) == digit(to, stage)) ++stage;
  return stage;
}

std::uint64_t RandomAccess::generated() const {
  std::uint64_t all = 0;
  for (const Core& core : cores_) all += core.generated;
  return all;
}

std::vector<double> RandomAccess::worked() const {
  std::vector<double> sums(cores());
  for (std::size_t i = 0; i < cores_.size(); ++i) sums[i % cores()] += cores_[i].worked;
  return sums;
}

}  // namespace groma::sim::torus
