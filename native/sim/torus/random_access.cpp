#include "sim/torus/random_access.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/torus/worker.hpp"

namespace groma::sim::torus {
namespace {

constexpr double kFractions = 1024.0;  // of a cycle

std::int64_t fractions(double cycles) {
  return std::llround(cycles * kFractions);
}

}  // namespace

double ReceiveCost::of(std::uint32_t packets) const {
  if (batch <= 1) return single * packets;
  return single +
         (each() * (packets - 1.0));  // single = empty + each, together * batch = empty + each * batch
}

Digits::Digits(const std::vector<std::uint32_t>& stages) : stages_(stages), shifts_{0} {
  Node stride = 1;
  for (std::uint32_t stage = 0; stage < stages.size(); ++stage) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(stages[stage] - 1));
    masks_.push_back((1U << bits) - 1);
    strides_.push_back(stride);
    stride *= stages[stage];
    for (std::uint32_t bit = shifts_.back(); bit < shifts_.back() + bits; ++bit) {
      stage_of_bit_[bit] = static_cast<std::uint8_t>(stage);
    }
    shifts_.push_back(shifts_.back() + bits);
  }
}

std::uint32_t Digits::of(Node node) const {
  std::uint32_t digits = 0;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    digits |= (node / strides_[stage] % stages_[stage]) << shifts_[stage];
  }
  return digits;
}

/// Each digit is the whole part of a fraction times its stage, and what is left is the next fraction.
std::uint32_t Digits::draw(RandomStream& random) const {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t fraction = random.next();
  std::uint32_t digits = 0;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const Wide product = static_cast<Wide>(fraction) * stages_[stage];
    digits |= static_cast<std::uint32_t>(product >> 64U) << shifts_[stage];
    fraction = static_cast<std::uint64_t>(product);
  }
  return digits;
}

RandomAccess::RandomAccess(RandomAccessPlan plan, const Shape& shape)
    : plan_(std::move(plan)),
      nodes_(shape.nodes()),
      digits_(plan_.stages),
      send_(fractions(plan_.send)),
      poll_(std::llround(plan_.poll)) {
  for (const double cycles : plan_.own) own_.push_back(fractions(cycles));
  for (std::uint32_t packets = 0; packets <= plan_.receive.batch; ++packets) {
    receive_.push_back(fractions(plan_.receive.of(packets)));
  }
  for (std::uint32_t stage = 0; stage < stages(); ++stage) {
    first_bucket_.push_back(local_buckets_);
    local_buckets_ += plan_.stages[stage];
    stage_of_.resize(local_buckets_, static_cast<std::uint8_t>(stage));
  }
  buckets_each_ = local_buckets_ + (plan_.specialised ? cores() * cores() : 0);
  cores_.resize(std::size_t{nodes_} * cores());
  times_.resize(cores_.size());
  filled_.resize(std::size_t{nodes_} * buckets_each_);
  underway_.resize(std::size_t{nodes_} * cores() * cores());
  updates_.resize(filled_.size() * plan_.bucket);
  const RandomStream seed(plan_.seed);
  for (Node node = 0; node < nodes_; ++node) {
    streams_.push_back(seed.fork(node));
    here_.push_back(digits_.of(node));
  }
}

Demands RandomAccess::demands() const {
  return {stages(), stages(), plan_.bucket * sizeof(std::uint32_t)};
}

/// Nodes begin at different times, as after a barrier of a real machine, so that their buckets fill at
/// different times.
void RandomAccess::start(Adapter& node) {
  const double first_bucket = plan_.own[0] * plan_.bucket * plan_.stages[0];
  Cycles* times = this->times(node.node());
  times[0] = static_cast<Cycles>(streams_[node.node()].below(static_cast<std::uint64_t>(first_bucket) + 1));
  for (std::uint32_t number = 1; number < cores(); ++number) {
    times[number] = kNever;
    core(node.node(), number).waits = Waits::kForPackets;
  }
  node.wake_at(times[0]);
}

void RandomAccess::wake(Adapter& node) {
  run_due(node);
}

void RandomAccess::prefetch(Node node) const {
  __builtin_prefetch(&times_[std::size_t{node} * cores()]);
  for (std::uint32_t number = 0; number < cores(); ++number) {
    __builtin_prefetch(&cores_[(std::size_t{node} * cores()) + number]);
  }
  __builtin_prefetch(&streams_[node]);
  __builtin_prefetch(&here_[node]);
}

void RandomAccess::received(Adapter& node, std::uint32_t fifo) {
  if (resume(node, plan_.specialised ? fifo + 1 : 0, Waits::kForPackets)) run_due(node);
}

void RandomAccess::injected(Adapter& node, std::uint32_t fifo) {
  if (resume(node, plan_.specialised ? fifo : 0, Waits::kForRoom)) run_due(node);
}

/// Whether the core waited for that, and now goes on.
bool RandomAccess::resume(Adapter& node, std::uint32_t number, Waits reason) {
  Core& own = core(node.node(), number);
  if (own.waits != reason) return false;
  own.waits = Waits::kNot;
  Cycles at = node.now();
  if (reason == Waits::kForPackets && poll_ > 0) {  // it sees the packet when it looks next
    at = own.waits_since + ((at - own.waits_since + poll_ - 1) / poll_ * poll_);
  }
  times(node.node())[number] = at;
  return true;
}

/// Steps of cores that are due; one may be due again after another has made room for it.
void RandomAccess::run_due(Adapter& node) {
  Cycles* times = this->times(node.node());
  Cycles* next = times;
  while (true) {
    next = std::min_element(times, times + cores());
    if (*next > node.now()) break;
    const auto number = static_cast<std::uint32_t>(next - times);
    Core& own = core(node.node(), number);
    const std::int64_t before = own.worked >> kFractionBits;
    own.waits = step(node, number);
    // Cycles are whole for the network; what is left of one counts next time.
    own.waits_since = node.now();
    times[number] = own.waits == Waits::kNot ? node.now() + (own.worked >> kFractionBits) - before : kNever;
  }
  node.wake_at(*next);
}

/// What a core does next, or what it waits for.
RandomAccess::Waits RandomAccess::step(Adapter& node, std::uint32_t number) {
  Core& own = core(node.node(), number);
  if (own.full != kNoBucket && !send_full(node, own)) return Waits::kForRoom;
  if (process(node, number) || receive(node, number)) return Waits::kNot;
  if (number != 0) return Waits::kForPackets;
  generate(node, own);
  return Waits::kNot;
}

/// Whether the full bucket is gone. Each stage has one packet on its way into the network (section 4.3.1: "at
/// most one full bucket for routing nodes along each dimension"), and each pair of cores has one between
/// them.
bool RandomAccess::send_full(Adapter& node, Core& core) {
  const std::uint32_t bucket = core.full;
  if (is_local(bucket)) {
    if (underway(node.node(), bucket - local_buckets_) != 0) return false;
    send_local(node, bucket);
  } else {
    const std::uint32_t stage = stage_of_[bucket];
    if (!node.may_inject(stage)) return false;
    send_over_network(node, bucket, stage);
  }
  core.full = kNoBucket;
  return true;
}

/// Empties the bucket into a packet.
PacketId RandomAccess::fill_packet(Adapter& node, std::uint32_t bucket) {
  const PacketId id = node.take_packet();
  Packet& packet = node.packet(id);
  packet.tag = std::exchange(filled(node.node(), bucket), 0);
  packet.next = kNoPacket;
  std::copy_n(updates(node.node(), bucket), packet.tag, node.payload<std::uint32_t>(id));
  return id;
}

void RandomAccess::send_local(Adapter& node, std::uint32_t bucket) {
  const std::uint32_t pair = bucket - local_buckets_;
  const PacketId id = fill_packet(node, bucket);
  node.packet(id).reception = static_cast<std::uint8_t>(kLocal + pair);
  underway(node.node(), pair) = 1;
  Core& target = core(node.node(), pair % cores());
  (target.local_head == kNoPacket ? target.local_head : node.packet(target.local_tail).next) = id;
  target.local_tail = id;
  target.held += node.packet(id).tag;
  resume(node, pair % cores(), Waits::kForPackets);
}

void RandomAccess::send_over_network(Adapter& node, std::uint32_t bucket, std::uint32_t stage) {
  const Node here = node.node();
  const std::uint32_t steps = bucket - first_bucket_[stage] - digits_.digit(here_[here], stage);
  const Node target = here + (steps * digits_.stride(stage));  // modulo 2^32: steps may be negative
  const PacketId id = fill_packet(node, bucket);
  Packet& packet = node.packet(id);
  packet.reception = static_cast<std::uint8_t>(stage);
  packet.steps = static_cast<std::uint8_t>(node.network().steps_of(packet.tag * plan_.update_bytes));
  packet.routing = node.network().routing;
  packet.hops = node.shape().hops(here, target, static_cast<std::uint32_t>(streams_[here].next()));
  node.inject(stage, id);
}

/// One call receives packets from the network or from other cores of the node, which take turns.
bool RandomAccess::receive(Adapter& node, std::uint32_t number) {
  Core& own = core(node.node(), number);
  for (int look = 0; look < 2 && own.in_hand == 0; ++look) {
    const bool local = std::exchange(own.local_next, !own.local_next);
    while (own.in_hand < plan_.receive.batch) {
      const PacketId id = local ? receive_from_core(node, own) : receive_from_network(node, number);
      if (id == kNoPacket) break;
      own.packets[own.in_hand++] = id;
    }
  }
  if (own.in_hand == 0) return false;
  std::reverse(own.packets.begin(), own.packets.begin() + own.in_hand);
  own.position = 0;
  own.worked += receive_[own.in_hand];
  return true;
}

PacketId RandomAccess::receive_from_core(Adapter& node, Core& own) {
  const PacketId id = own.local_head;
  if (id != kNoPacket) own.local_head = node.packet(id).next;
  return id;
}

PacketId RandomAccess::receive_from_network(Adapter& node, std::uint32_t number) {
  Core& own = core(node.node(), number);
  PacketId id = kNoPacket;
  if (plan_.specialised) {
    if (number > 0) id = node.receive(number - 1);
  } else {
    for (std::uint32_t stage = stages(); stage-- > 0 && id == kNoPacket;)
      id = node.receive(stage);  // nearly there first
  }
  if (id != kNoPacket) own.held += node.packet(id).tag;
  return id;
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
  const std::uint32_t* targets = node.payload<std::uint32_t>(id);
  const std::uint32_t stage = plan_.specialised ? number : packet.reception + 1U;
  while (own.position < packet.tag) {
    const std::uint32_t target = targets[own.position++];
    --own.held;
    own.worked += own_[plan_.specialised ? number : 1];
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
  underway(node.node(), from - kLocal) = 0;
  resume(node, static_cast<std::uint32_t>(from - kLocal) / cores(), Waits::kForRoom);
}

/// Updates until a bucket is full, but not more than a bucket at once: packets may have come.
void RandomAccess::generate(Adapter& node, Core& own) {
  for (std::uint32_t i = 0; i < plan_.bucket; ++i) {
    const std::uint32_t target = digits_.draw(streams_[node.node()]);
    own.worked += own_[0];
    ++own.generated;
    if (route(node, 0, 0, target)) return;
  }
}

/// Applies an update that is where it belongs, else puts it into a bucket. Whether that is full now.
bool RandomAccess::route(Adapter& node, std::uint32_t number, std::uint32_t stage, std::uint32_t target) {
  const Node here = node.node();
  Core& own = core(here, number);
  const std::uint32_t next = digits_.first_difference(here_[here], target, stage);
  if (next == stages() && (!plan_.specialised || number == stages())) {
    if (!plan_.specialised) own.worked += own_[2];
    if (target != here_[here]) ++own.astray;
    node.count_work(1);
    return false;
  }
  const bool local = plan_.specialised && next != number;
  const std::uint32_t bucket =
      local ? local_bucket(number, next) : first_bucket_[next] + digits_.digit(target, next);
  std::uint8_t& count = filled(here, bucket);
  updates(here, bucket)[count++] = target;
  if (count < plan_.bucket) return false;
  own.full = bucket;
  own.worked += send_;
  return true;
}

std::uint64_t RandomAccess::generated() const {
  std::uint64_t all = 0;
  for (const Core& core : cores_) all += core.generated;
  return all;
}

std::uint64_t RandomAccess::held() const {
  std::uint64_t all = std::accumulate(filled_.begin(), filled_.end(), std::uint64_t{0});
  for (const Core& core : cores_) all += core.held;
  return all;
}

std::uint64_t RandomAccess::astray() const {
  std::uint64_t all = 0;
  for (const Core& core : cores_) all += core.astray;
  return all;
}

std::vector<double> RandomAccess::worked() const {
  std::vector<double> sums(cores());
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    sums[i % cores()] += static_cast<double>(cores_[i].worked) / kFractions;
  }
  return sums;
}

std::size_t RandomAccess::bytes_used() const {
  const auto bytes = [](const auto& values) { return values.size() * sizeof(values[0]); };
  return bytes(cores_) + bytes(times_) + bytes(here_) + bytes(streams_) + bytes(filled_) + bytes(underway_) +
         bytes(updates_);
}

void RandomAccess::report(const Outcome& outcome, JsonObject& result) const {
  std::vector<double> loads = worked();
  for (double& load : loads) load /= static_cast<double>(std::max<Cycles>(outcome.end.time, 1)) * nodes_;
  result.add("updates", outcome.end.tally.work)
      .add("astray", astray())
      .add("bucket", plan_.bucket)
      .add("loads", loads);
}

}  // namespace groma::sim::torus
