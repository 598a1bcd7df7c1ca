#include "sim/torus/random_access.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "base/prefetch.hpp"
#include "sim/torus/worker.hpp"

namespace groma::sim::torus {
namespace {

constexpr double kFractions = 1024.0;  // of a cycle

std::int64_t fractions(double cycles) {
  return std::llround(cycles * kFractions);
}

/// Whether packets of a stage travel in a dimension of the torus in which packets of a later stage do: both
/// change a digit of the same coordinate.
bool shares_links(const std::vector<std::uint32_t>& stages, std::uint32_t stage, const Shape& shape) {
  const std::uint64_t end =
      std::accumulate(stages.begin(), stages.begin() + stage + 1, std::uint64_t{1}, std::multiplies<>());
  std::uint64_t stride = 1;
  for (std::size_t d = 0; stride < end; ++d) stride *= shape.extent(d);
  return stride != end;
}

}  // namespace

Digits::Digits(const std::vector<std::uint32_t>& stages)
    : count_(static_cast<std::uint32_t>(stages.size())), stages_(stages) {
  Node stride = 1;
  for (std::uint32_t stage = 0; stage < stages.size(); ++stage) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(stages[stage] - 1));
    masks_[stage] = (1U << bits) - 1;
    shifts_[stage + 1] = shifts_[stage] + bits;
    strides_.push_back(stride);
    stride *= stages[stage];
    for (std::uint32_t bit = shifts_[stage]; bit < shifts_[stage + 1]; ++bit) {
      stage_of_bit_[bit] = static_cast<std::uint8_t>(stage);
    }
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
  for (std::uint32_t stage = 0; stage < count_; ++stage) {
    const Wide product = static_cast<Wide>(fraction) * stages_[stage];
    digits |= static_cast<std::uint32_t>(product >> 64U) << shifts_[stage];
    fraction = static_cast<std::uint64_t>(product);
  }
  return digits;
}

RandomAccess::RandomAccess(RandomAccessPlan plan, const Shape& shape)
    : plan_(std::move(plan)),
      nodes_(shape.nodes()),
      stages_(static_cast<std::uint32_t>(plan_.stages.size())),
      cores_each_(plan_.specialised ? stages_ + 1 : 1),
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
  sets_aside_.push_back(false);
  for (std::uint32_t stage = 0; stage < stages(); ++stage) {
    sets_aside_.push_back(!plan_.specialised && shares_links(plan_.stages, stage, shape));
  }
  buckets_each_ = local_buckets_ + (plan_.specialised ? cores() * cores() : 0);
  cores_.resize(std::size_t{nodes_} * cores());
  roles_.resize(std::size_t{nodes_} * (stages() + 1));
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
  const std::size_t of_observer = observer_ == nullptr ? 0 : sizeof(Origin);
  return {stages(), stages(), (plan_.bucket * sizeof(std::uint32_t)) + of_observer};
}

void RandomAccess::observe(Observer& observer) {
  observer_ = &observer;
  called_.resize(roles_.size());
}

/// Nodes begin at different times, as after a barrier of a real machine, so that their buckets fill at
/// different times.
void RandomAccess::start(Adapter& node) {
  const double first_bucket = plan_.own[0] * plan_.bucket * plan_.stages[0];
  Cycles* times = this->times(node.node());
  times[0] = static_cast<Cycles>(streams_[node.node()].below(static_cast<std::uint64_t>(first_bucket) + 1));
  for (std::uint32_t number = 1; number < cores(); ++number) {
    times[number] = kNever;
    report_step(node, number, Step::kNothing, 0);
  }
  node.wake_at(times[0]);
}

void RandomAccess::wake(Adapter& node) {
  run_due(node);
}

void RandomAccess::prefetch_state(Node node) const {
  prefetch(&times_[std::size_t{node} * cores()]);
  prefetch_array(&roles_[std::size_t{node} * (stages() + 1)], stages() + 1);
  prefetch(&streams_[node]);
  prefetch(&here_[node]);
}

void RandomAccess::prefetch_work(Node node, PacketPool& pool, Cycles end) const {
  const std::size_t first_core = std::size_t{node} * cores();
  const std::uint32_t number = first_due(&times_[first_core]);
  if (times_[first_core + number] >= end) return;
  prefetch_array(&cores_[first_core + number], 1);
  const std::size_t first_bucket = std::size_t{node} * buckets_each_;
  prefetch_array(&filled_[first_bucket], buckets_each_);
  for (std::uint32_t role = first_role(number); role < end_of_roles(number); ++role) {
    const Role& own = roles_[(std::size_t{node} * (stages() + 1)) + role];
    if (own.full != kNoBucket) prefetch(&updates_[(first_bucket + own.full) * plan_.bucket]);
    if (own.head == kNoPacket) continue;
    prefetch(&pool[own.head]);
    prefetch(pool.payload<std::uint32_t>(own.head));
  }
}

void RandomAccess::received(Adapter& node, std::uint32_t fifo) {
  if (notice_packet(node, fifo + 1)) run_due(node);
}

void RandomAccess::injected(Adapter& node, std::uint32_t fifo) {
  if (notice_room(node, fifo)) run_due(node);
}

/// Whether a core waited for such a packet. It sees the packet when it looks next.
bool RandomAccess::notice_packet(Adapter& node, std::uint32_t role) {
  const std::uint32_t number = core_of(role);
  Cycles& next = times(node.node())[number];
  if (next != kNever || (role < first_able(node.node(), number) && !sets_aside_[role])) return false;
  next = node.now();
  if (poll_ > 0) {
    const Cycles since = core(node.node(), number).waits_since;
    next = since + ((next - since + poll_ - 1) / poll_ * poll_);
  }
  return true;
}

/// Whether a core waited for room for the full bucket of this role, and now goes on. It need not wait until
/// it would look for packets.
bool RandomAccess::notice_room(Adapter& node, std::uint32_t role) {
  const std::uint32_t number = core_of(role);
  Cycles& next = times(node.node())[number];
  if (core(node.node(), number).works || next <= node.now()) return false;
  if (this->role(node.node(), role).full == kNoBucket) return false;
  next = node.now();
  return true;
}

/// The core whose next step comes first. Which one is hard to predict: there is no branch.
std::uint32_t RandomAccess::first_due(const Cycles* times) const {
  std::uint32_t first = 0;
  Cycles next = times[0];
  for (std::uint32_t other = 1; other < cores(); ++other) {
    const bool earlier = times[other] < next;
    first = earlier ? other : first;
    next = earlier ? times[other] : next;
  }
  return first;
}

/// Steps of cores that are due; one may be due again after another has made room for it.
void RandomAccess::run_due(Adapter& node) {
  Cycles* times = this->times(node.node());
  Cycles next = 0;
  while (true) {
    const std::uint32_t number = first_due(times);
    next = times[number];
    if (next > node.now()) break;
    Core& own = core(node.node(), number);
    const Step done = step(node, number);
    const std::int64_t sending = done == Step::kFilledBucket ? send_ : 0;
    const Cycles computed = (own.fractions - sending) >> kFractionBits;
    // Cycles are whole for the network; what is left of one counts next time.
    const Cycles whole = own.fractions >> kFractionBits;
    own.fractions &= kFraction;
    own.worked += whole;
    own.waits_since = node.now();
    own.works = done != Step::kNothing;
    times[number] = done == Step::kNothing ? kNever : node.now() + whole;
    report_step(node, number, done, computed);
  }
  node.wake_at(next);
}

/// What a core finds to do.
RandomAccess::Step RandomAccess::step(Adapter& node, std::uint32_t number) {
  for (std::uint32_t role = first_role(number); role < end_of_roles(number); ++role) {
    send_full(node, this->role(node.node(), role));
  }
  const std::uint32_t able = first_able(node.node(), number);
  for (std::uint32_t role = end_of_roles(number); role-- > able;) {  // nearly there first
    if (next_packet(node, role)) return process(node, role) ? Step::kFilledBucket : Step::kComputed;
  }
  for (std::uint32_t role = first_role(number); role < able; ++role) {
    next_packet(node, role);  // frees places, though the bucket of the last update waits
    if (sets_aside_[role]) set_aside_all(node, this->role(node.node(), role));
  }
  if (receive(node, number, able)) return Step::kReceived;
  if (able != 0) return Step::kNothing;
  return generate(node) ? Step::kFilledBucket : Step::kComputed;
}

/// `computed`: cycles of the step before it sends.
void RandomAccess::report_step(Adapter& node, std::uint32_t number, Step step, Cycles computed) {
  if (observer_ == nullptr) return;
  const Place place = (node.node() * cores()) + number;
  if (step == Step::kNothing) {
    const bool full = first_able(node.node(), number) != first_role(number);
    observer_->begins(place, node.now(), full ? Doing::kWaitingForRoom : Doing::kWaitingForPackets);
    return;
  }
  observer_->begins(place, node.now(), step == Step::kReceived ? Doing::kReceiving : Doing::kComputing);
  if (step != Step::kFilledBucket) return;
  observer_->begins(place, node.now() + computed, Doing::kSending);
  // The bucket that is full now is that of the last role that has one.
  const std::size_t role = first_able(node.node(), number) - 1;
  called_[(std::size_t{node.node()} * (stages() + 1)) + role] = node.now() + computed;
}

void RandomAccess::report_delivery(Adapter& node, std::uint32_t role, PacketId id) {
  if (observer_ == nullptr) return;
  const Packet& packet = node.packet(id);
  Origin origin{};
  std::memcpy(&origin, node.payload<std::uint32_t>(id) + plan_.bucket, sizeof origin);
  Delivery delivery;
  delivery.from = (origin.node * cores()) + core_of(role - 1);
  delivery.called = origin.called;
  delivery.sent = packet.injected;
  delivery.to = (node.node() * cores()) + core_of(role);
  delivery.asked = delivery.received = node.now();
  delivery.bytes = std::uint64_t{packet.steps} * node.network().packet_step;
  delivery.tag = role - 1;
  observer_->delivered(delivery);
}

/// A bucket that waits for room holds up the roles that could fill another one for its stage or for earlier
/// ones. Later roles go on: what they need depends on no earlier stage, so that packets of the last stage are
/// always received, then those of the stage before can go, and no ring of nodes waits for each other.
std::uint32_t RandomAccess::first_able(Node node, std::uint32_t number) {
  std::uint32_t able = end_of_roles(number);
  while (able > first_role(number) && role(node, able - 1).full == kNoBucket) --able;
  return able;
}

/// Sends the full bucket, if there is one and room for it. Each stage has one packet on its way into the
/// network (section 4.3.1: "at most one full bucket for routing nodes along each dimension"), and each pair
/// of cores has one between them.
void RandomAccess::send_full(Adapter& node, Role& role) {
  const std::uint32_t bucket = role.full;
  if (bucket == kNoBucket) return;
  if (is_local(bucket)) {
    if (underway(node.node(), bucket - local_buckets_) != 0) return;
    send_local(node, bucket);
  } else {
    const std::uint32_t stage = stage_of_[bucket];
    if (!node.may_inject(stage)) return;
    send_over_network(node, bucket, stage);
  }
  role.full = kNoBucket;
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
  notice_packet(node, pair % cores());
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
  if (observer_ != nullptr) {
    const std::size_t role = (std::size_t{here} * (stages() + 1)) + stage;
    const Origin origin{called_[role], here};
    std::memcpy(node.payload<std::uint32_t>(id) + plan_.bucket, &origin, sizeof origin);
  }
  node.inject(stage, id);
}

/// One call receives packets from the network or from other cores of the node, which take turns.
bool RandomAccess::receive(Adapter& node, std::uint32_t number, std::uint32_t able) {
  Core& own = core(node.node(), number);
  std::uint32_t packets = 0;
  for (int look = 0; look < 2 && packets == 0; ++look) {
    const bool local = std::exchange(own.local_next, !own.local_next);
    while (packets < plan_.receive.batch &&
           (local ? receive_from_core(node, number, able) : receive_from_network(node, number, able))) {
      ++packets;
    }
  }
  if (packets == 0) return false;
  own.fractions += receive_[packets];
  return true;
}

bool RandomAccess::receive_from_core(Adapter& node, std::uint32_t number, std::uint32_t able) {
  Core& own = core(node.node(), number);
  const PacketId id = own.local_head;
  if (id == kNoPacket || number < able) return false;
  own.local_head = node.packet(id).next;
  take_in_hand(node, number, id);
  return true;
}

/// Of roles that cannot go on, only packets that would hold up those of later stages on the same links.
bool RandomAccess::receive_from_network(Adapter& node, std::uint32_t number, std::uint32_t able) {
  for (std::uint32_t role = end_of_roles(number); role-- > std::max(number, 1U);) {  // nearly there first
    if (role < able && !sets_aside_[role]) continue;
    const PacketId id = node.receive(role - 1);
    if (id == kNoPacket) continue;
    core(node.node(), number).held += node.packet(id).tag;
    report_delivery(node, role, id);
    take_in_hand(node, role, id);
    if (role < able) set_aside(node, node.packet(id));
    return true;
  }
  return false;
}

void RandomAccess::take_in_hand(Adapter& node, std::uint32_t role, PacketId id) {
  Role& own = this->role(node.node(), role);
  node.packet(id).next = kNoPacket;
  (own.head == kNoPacket ? own.head : node.packet(own.tail).next) = id;
  own.tail = id;
}

/// Keeps a packet in memory, so that its place is free.
void RandomAccess::set_aside(Adapter& node, Packet& packet) {
  node.free_place(std::exchange(packet.reception, kSetAside));
}

/// All packets in hand of a role that waits. More are set aside as they come.
void RandomAccess::set_aside_all(Adapter& node, const Role& role) {
  for (PacketId id = role.head; id != kNoPacket; id = node.packet(id).next) {
    if (node.packet(id).reception == kSetAside) return;
    set_aside(node, node.packet(id));
  }
}

/// Finishes packets of which all updates are dealt with. Whether there is one with others.
bool RandomAccess::next_packet(Adapter& node, std::uint32_t role) {
  Role& own = this->role(node.node(), role);
  while (own.head != kNoPacket && own.position == node.packet(own.head).tag) finish_packet(node, own);
  return own.head != kNoPacket;
}

/// The updates of one packet, or as many of them as fill a bucket. Whether one is full now.
bool RandomAccess::process(Adapter& node, std::uint32_t role) {
  Role& own = this->role(node.node(), role);
  const Packet& packet = node.packet(own.head);
  const Buckets buckets = this->buckets(node.node(), role);
  const std::uint32_t* targets = node.payload<std::uint32_t>(own.head);
  const std::int64_t cost = own_[plan_.specialised ? role : 1];
  while (own.position < packet.tag) {
    const std::uint32_t target = targets[own.position++];
    --buckets.core.held;
    buckets.core.fractions += cost;
    if (route(node, buckets, role, target)) return true;
  }
  return false;
}

/// Its place is free only now that it is done.
void RandomAccess::finish_packet(Adapter& node, Role& own) {
  const PacketId id = own.head;
  const std::uint8_t from = node.packet(id).reception;
  own.head = node.packet(id).next;
  own.position = 0;
  node.give_back(id);
  if (from == kSetAside) return;
  if (from < kLocal) {
    node.free_place(from);
    return;
  }
  underway(node.node(), from - kLocal) = 0;
  notice_room(node, static_cast<std::uint32_t>(from - kLocal) / cores());
}

/// Updates until a bucket is full, but not more than a bucket at once: packets may have come. Whether one is
/// full now.
bool RandomAccess::generate(Adapter& node) {
  const Buckets buckets = this->buckets(node.node(), 0);
  RandomStream& random = streams_[node.node()];
  for (std::uint32_t i = 0; i < plan_.bucket; ++i) {
    const std::uint32_t target = digits_.draw(random);
    buckets.core.fractions += own_[0];
    ++buckets.core.generated;
    if (route(node, buckets, 0, target)) return true;
  }
  return false;
}

RandomAccess::Buckets RandomAccess::buckets(Node node, std::uint32_t role) {
  const std::size_t first = std::size_t{node} * buckets_each_;
  return {core(node, core_of(role)), &this->role(node, 0), &filled_[first], &updates_[first * plan_.bucket],
          here_[node]};
}

/// Applies an update that is where it belongs, else puts it into a bucket. Whether that is full now.
bool RandomAccess::route(Adapter& node, const Buckets& own, std::uint32_t role, std::uint32_t target) const {
  const std::uint32_t next = digits_.first_difference(own.here, target, role);
  if (next == stages() && (!plan_.specialised || role == stages())) {
    if (!plan_.specialised) own.core.fractions += own_[2];
    if (target != own.here) ++own.core.astray;
    node.count_work(1);
    return false;
  }
  const bool local = plan_.specialised && next != role;
  const std::uint32_t bucket =
      local ? local_bucket(role, next) : first_bucket_[next] + digits_.digit(target, next);
  const std::uint32_t before = own.filled[bucket]++;
  own.updates[(bucket * plan_.bucket) + before] = target;
  if (before + 1 < plan_.bucket) return false;
  own.roles[local ? role : next].full = bucket;
  own.core.fractions += send_;
  return true;
}

std::uint64_t RandomAccess::generated() const {
  std::uint64_t all = 0;
  for (const Core& core : cores_) all += core.generated;
  return all;
}

std::uint64_t RandomAccess::held() const {
  return std::accumulate(filled_.begin(), filled_.end(), in_hand());
}

/// All packets are full. What was delivered and not received is in reception FIFOs.
std::uint64_t RandomAccess::waiting(const Outcome& outcome) const {
  return ((outcome.latencies.count() - outcome.end.tally.received) * plan_.bucket) + in_hand();
}

std::uint64_t RandomAccess::in_hand() const {
  std::uint64_t all = 0;
  for (const Core& core : cores_) all += core.held;
  return all;
}

std::uint64_t RandomAccess::astray() const {
  std::uint64_t all = 0;
  for (const Core& core : cores_) all += core.astray;
  return all;
}

std::vector<double> RandomAccess::worked(Cycles end) const {
  std::vector<double> sums(cores());
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const Cycles after_end = cores_[i].works ? std::max<Cycles>(times_[i] - end, 0) : 0;
    sums[i % cores()] += static_cast<double>(cores_[i].worked - after_end);
  }
  return sums;
}

std::size_t RandomAccess::bytes_used() const {
  const auto bytes = [](const auto& values) { return values.size() * sizeof(values[0]); };
  return bytes(cores_) + bytes(roles_) + bytes(times_) + bytes(here_) + bytes(streams_) + bytes(filled_) +
         bytes(underway_) + bytes(updates_);
}

void RandomAccess::report(const Outcome& outcome, JsonObject& result) const {
  const Cycles end = std::max<Cycles>(outcome.end.time, 1);
  std::vector<double> loads = worked(end);
  for (double& load : loads) load /= static_cast<double>(end) * nodes_;
  result.add("updates", outcome.end.tally.work)
      .add("astray", astray())
      .add("bucket", plan_.bucket)
      .add("waiting", waiting(outcome))
      .add("loads", loads);
}

}  // namespace groma::sim::torus
