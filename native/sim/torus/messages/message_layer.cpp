#include "sim/torus/messages/message_layer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/torus/injection.hpp"
#include "sim/torus/worker.hpp"

namespace groma::sim::torus {

MessageLayer::MessageLayer(LayerSettings settings, std::vector<Program> programs, const Shape& shape,
                           Extra extra)
    : settings_(settings),
      programs_(std::move(programs)),
      extra_(std::move(extra)),
      ports_(shape.ports()),
      fifos_(shape.nodes(), settings.cores, ports_, settings.max_fifo_sets),
      cores_(programs_.size()),
      directions_(programs_.size() * ports_) {
  const RandomStream seed(settings_.seed);
  for (Rank rank = 0; rank < ranks(); ++rank) {
    cores_[rank].done.resize(programs_[rank].requests());
    cores_[rank].random = seed.fork(rank);
  }
}

Demands MessageLayer::demands() const {
  return {fifos_.of_node(), settings_.cores, sizeof(Label)};
}

void MessageLayer::start(Adapter& node) {
  if (rank_of(node.node(), 0) < ranks()) node.wake_at(0);
}

void MessageLayer::received(Adapter& node, std::uint32_t fifo) {
  Core& core = cores_[rank_of(node.node(), fifo)];
  ++core.waiting;
  core.idle = false;
  if (core.processor.free_at() <= node.now()) advance(node);
}

void MessageLayer::injected(Adapter& node, std::uint32_t fifo) {
  bool goes_on = false;
  fifos_.for_each_sharer(fifo, 0, [&](std::uint32_t core) {
    const Rank rank = rank_of(node.node(), core);
    if (rank >= ranks()) return;
    cores_[rank].idle = false;
    goes_on = goes_on || cores_[rank].processor.free_at() <= node.now();
  });
  if (goes_on) advance(node);
}

/// All time that a rank spends passes here.
void MessageLayer::spend(Adapter& node, Rank rank, double cycles, Doing doing) {
  torus::spend(cores_[rank].processor, rank, {node.now(), cycles, doing}, observer_);
}

/// A rank that finds nothing to do: it has packets and no room for them, or waits for others, or is done.
void MessageLayer::report_waiting(Adapter& node, Rank rank) {
  const Core& core = cores_[rank];
  Doing doing = core.finished_at == kNever ? Doing::kWaitingForPackets : Doing::kIdle;
  for (Port port = 0; port < ports_; ++port) {
    if (!direction(rank, port).empty()) doing = Doing::kWaitingForRoom;
  }
  observer_->begins(rank, node.now(), doing);
}

/// Tags below 0 are those of collectives.
void MessageLayer::report_delivery(const Incoming& message, Rank to, Cycles now) {
  if (observer_ == nullptr) return;
  const Label& label = message.label;
  observer_->delivered({label.from, label.called, message.sent, to, message.asked, now, label.bytes,
                        static_cast<std::uint64_t>(std::max(label.tag, 0))});
}

/// One rank of a node may let another go on, by a message in memory.
void MessageLayer::advance(Adapter& node) {
  const Rank first = rank_of(node.node(), 0);
  const Rank end = std::min(first + settings_.cores, ranks());
  Cycles next = kNever;
  for (bool acted = true; acted;) {
    acted = false;
    next = kNever;
    for (Rank rank = first; rank < end; ++rank) {
      const Core& core = cores_[rank];
      if (act_while_free(node, rank)) acted = true;
      if (core.processor.free_at() > node.now()) next = std::min(next, core.processor.free_at());
    }
  }
  for (Rank rank = first; observer_ != nullptr && rank < end; ++rank) {
    if (cores_[rank].processor.free_at() <= node.now()) report_waiting(node, rank);
  }
  node.wake_at(next);
}

/// Whether the rank did anything.
bool MessageLayer::act_while_free(Adapter& node, Rank rank) {
  Core& core = cores_[rank];
  bool acted = false;
  while (!core.idle && core.processor.free_at() <= node.now()) {
    if (!act(node, rank)) {
      core.idle = !core.yields;
      break;
    }
    acted = true;
  }
  return acted;
}

/// Control returns to the program as soon as its request is complete; only then are other messages moved.
bool MessageLayer::act(Adapter& node, Rank rank) {
  inject_prepared(node, rank);
  return deliver_local(node, rank) || run_strands(node, rank) || run_program(node, rank) ||
         progress(node, rank);
}

bool MessageLayer::run_program(Adapter& node, Rank rank) {
  Core& core = cores_[rank];
  const std::vector<Step>& steps = programs_[rank].steps();
  if (core.step == steps.size()) {
    if (core.finished_at == kNever) core.finished_at = node.now();
    return false;
  }
  const Step& step = steps[core.step];
  if (!may_pass(core, step)) return false;
  ++core.step;
  perform(node, rank, step);
  return true;
}

/// A step of the first strand that can go on.
bool MessageLayer::run_strands(Adapter& node, Rank rank) {
  Core& core = cores_[rank];
  for (std::size_t i = 0; i < core.running.size(); ++i) {
    Running& one = core.running[i];
    const std::vector<Step>& steps = programs_[rank].strands()[one.strand];
    if (one.step == steps.size()) {
      complete(core, one.request);
      core.running.erase(core.running.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    const Step& step = steps[one.step];
    if (!may_pass(core, step)) continue;
    ++one.step;
    perform(node, rank, step);
    return true;
  }
  return false;
}

void MessageLayer::perform(Adapter& node, Rank rank, const Step& step) {
  Core& core = cores_[rank];
  if (step.action == Action::kCompute) spend(node, rank, step.cycles, Doing::kComputing);
  if (step.action == Action::kSend) post_send(node, rank, step);
  if (step.action == Action::kReceive) post_receive(node, rank, step);
  if (step.action == Action::kBegin) {
    ++core.open;
    core.running.push_back({step.strand, step.request});
  }
}

bool MessageLayer::may_pass(const Core& core, const Step& step) const {
  if (step.action == Action::kWait) return core.done[step.request];
  return step.action != Action::kWaitAll || core.open == 0;
}

void MessageLayer::post_send(Adapter& node, Rank rank, const Step& step) {
  Core& core = cores_[rank];
  const Cycles called = std::max(core.processor.free_at(), node.now());
  spend(node, rank, settings_.call, Doing::kSending);
  ++core.open;
  const std::uint32_t number = core.next_to[step.peer]++;
  if (node_of(step.peer) == node.node()) {
    spend(node, rank, settings_.copy * static_cast<double>(step.bytes), Doing::kSending);
    core.local.push(
        {step.peer, step.request, {step.bytes, rank, number, step.tag, 0, 0, 0, Kind::kEager, called}});
    return;
  }
  if (core.free_handles.empty()) {
    core.free_handles.push_back(static_cast<std::uint32_t>(core.outgoing.size()));
    core.outgoing.emplace_back();
  }
  const std::uint32_t handle = core.free_handles.back();
  core.free_handles.pop_back();
  Outgoing& message = core.outgoing[handle];
  message = {step.peer, number, step.tag, step.request, step.bytes, 0,
             0,         0,      0,        Kind::kEager, called,     core.posted_sends++};
  const auto drawn = static_cast<std::uint32_t>(core.random.next());
  message.coins = step.ties == Ties::kRandom ? drawn : (step.ties == Ties::kDown ? ~0U : 0U);
  const Hops hops = node.shape().hops(node.node(), node_of(step.peer), message.coins);
  message.port = static_cast<Port>(std::countr_zero(first_ports(hops, Routing::kDeterministic)));
  if (step.bytes <= settings_.rendezvous) {
    queue_message(rank, handle);
    return;
  }
  message.kind = Kind::kData;
  queue_control(node, rank,
                {step.peer,
                 message.coins,
                 {step.bytes, rank, number, step.tag, handle, 0, 0, Kind::kAnnounce, called}});
}

/// One by one, messages go in the order in which the program sent them: the answers to announcements overtake
/// each other on their way. A message that was begun stays the first.
void MessageLayer::queue_message(Rank rank, std::uint32_t handle) {
  const std::vector<Outgoing>& outgoing = cores_[rank].outgoing;
  SmallQueue<std::uint32_t>& messages = direction(rank, outgoing[handle].port).messages;
  if (settings_.policy == Policy::kOverlapping) {
    messages.push(handle);
    return;
  }
  const bool has_begun = !messages.empty() && outgoing[messages.front()].sent != 0;
  messages.insert(handle, has_begun ? 1 : 0, [&](std::uint32_t one, std::uint32_t other) {
    return outgoing[one].posted < outgoing[other].posted;
  });
}

void MessageLayer::queue_control(Adapter& node, Rank rank, Control control) {
  const Hops hops = node.shape().hops(node.node(), node_of(control.to), control.coins);
  const auto port = static_cast<Port>(std::countr_zero(first_ports(hops, Routing::kDeterministic)));
  direction(rank, port).control.push(control);
}

void MessageLayer::post_receive(Adapter& node, Rank rank, const Step& step) {
  Core& core = cores_[rank];
  const Posted receive{step.peer, step.tag, step.request, std::max(core.processor.free_at(), node.now())};
  spend(node, rank, settings_.call, Doing::kReceiving);
  ++core.open;
  const auto found = std::ranges::find_if(core.unexpected, [&](std::uint64_t key) {
    const Label& label = core.incoming.at(key).label;
    return matches(label.from, label.tag, step.peer, step.tag);
  });
  if (found == core.unexpected.end()) {
    core.posted.push_back(receive);
    return;
  }
  const std::uint64_t key = *found;
  core.unexpected.erase(found);
  accept(node, rank, core.incoming.at(key), receive);
}

/// Copies between ranks of a node are done when the sender's processor is free again.
bool MessageLayer::deliver_local(Adapter& node, Rank rank) {
  Core& core = cores_[rank];
  if (core.local.empty()) return false;
  const Local message = core.local.front();
  core.local.pop();
  complete(core, message.request);
  Label whole = message.label;
  whole.payload = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole.bytes, UINT32_MAX));
  Core& target = cores_[message.to];
  target.idle = false;
  Incoming& incoming = target.incoming[key_of(whole)];
  incoming = {whole, whole.bytes, 1, 1, kNoRequest, node.now(), 0};
  match_in_order(node, message.to, rank);
  return true;
}

bool MessageLayer::progress(Adapter& node, Rank rank) {
  const Core& core = cores_[rank];
  const bool send_first = settings_.polling == Polling::kSendFirst ||
                          (settings_.polling == Polling::kAlternate && !core.sent_last);
  if (send_first) return send_packet(node, rank) || receive_packets(node, rank);
  return receive_packets(node, rank) || send_packet(node, rank);
}

/// Directions take turns.
bool MessageLayer::send_packet(Adapter& node, Rank rank) {
  Core& core = cores_[rank];
  core.yields = false;
  for (Port i = 0; i < ports_; ++i) {
    const Port port = (core.turn + i) % ports_;
    if (direction(rank, port).empty()) continue;
    if (!has_place(node, fifos_.fifo(rank % settings_.cores, port))) continue;
    if (!comes_first(node, rank, port)) {
      core.yields = true;
      continue;
    }
    core.turn = (port + 1) % ports_;
    core.sent_last = true;
    send_from(node, rank, port);
    spend(node, rank, settings_.costs.send, Doing::kSending);
    return true;
  }
  return false;
}

bool MessageLayer::has_place(const Adapter& node, std::uint32_t fifo) const {
  return node.injecting(fifo) + fifos_.promised(node.node(), fifo) < node.network().injection_packets;
}

/// Ranks that share the FIFO of a direction take turns, but for those that are busy.
bool MessageLayer::comes_first(const Adapter& node, Rank rank, Port port) const {
  const std::uint32_t core = rank % settings_.cores;
  const std::uint32_t fifo = fifos_.fifo(core, port);
  bool comes_first = true;
  bool before = true;
  fifos_.for_each_sharer(fifo, fifos_.last(node.node(), fifo), [&](std::uint32_t other) {
    before = before && other != core;
    if (before && wants_to_send(rank_of(node.node(), other), port, node.now())) comes_first = false;
  });
  return comes_first;
}

bool MessageLayer::wants_to_send(Rank rank, Port port, Cycles now) const {
  return rank < ranks() && cores_[rank].processor.free_at() <= now && !direction(rank, port).empty();
}

void MessageLayer::send_from(Adapter& node, Rank rank, Port port) {
  Direction& way = direction(rank, port);
  if (way.control.empty()) {
    send_data(node, rank, port);
    return;
  }
  const Control control = way.control.front();
  way.control.pop();
  prepare(node, port, rank, control);
}

void MessageLayer::send_data(Adapter& node, Rank rank, Port port) {
  Core& core = cores_[rank];
  SmallQueue<std::uint32_t>& messages = direction(rank, port).messages;
  const std::uint32_t handle = messages.front();
  Outgoing& message = core.outgoing[handle];
  if (message.packets == 0) spend(node, rank, settings_.message, Doing::kSending);
  const auto payload = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(message.bytes - message.sent, node.network().largest_payload()));
  prepare(node, port, rank,
          {message.to,
           message.coins,
           {message.bytes, rank, message.number, message.tag, handle, payload, message.packets, message.kind,
            message.called}});
  message.sent += payload;
  ++message.packets;
  if (message.sent == message.bytes) {
    messages.pop();
    complete(core, message.request);
    core.free_handles.push_back(handle);
  } else if (settings_.policy == Policy::kOverlapping) {
    messages.pop();
    messages.push(handle);
  }
}

void MessageLayer::prepare(Adapter& node, Port port, Rank from, const Control& content) {
  const PacketId id = node.take_packet();
  Packet& packet = node.packet(id);
  packet.hops = node.shape().hops(node.node(), node_of(content.to), content.coins);
  packet.steps = static_cast<std::uint8_t>(node.network().steps_of(content.label.payload));
  packet.reception = static_cast<std::uint8_t>(content.to % settings_.cores);
  packet.routing = node.network().routing;
  *node.payload<Label>(id) = content.label;
  const std::uint32_t core = from % settings_.cores;
  cores_[from].prepared = {id, fifos_.fifo(core, port)};
  fifos_.promise(node.node(), cores_[from].prepared.fifo, core);
}

void MessageLayer::inject_prepared(Adapter& node, Rank rank) {
  Prepared& prepared = cores_[rank].prepared;
  if (prepared.packet == kNoPacket) return;
  fifos_.redeem(node.node(), prepared.fifo);
  inject(node, prepared);
}

bool MessageLayer::receive_packets(Adapter& node, Rank rank) {
  Core& core = cores_[rank];
  const std::uint32_t packets = std::min(core.waiting, settings_.costs.batch);
  if (packets == 0) return false;
  core.waiting -= packets;
  core.sent_last = false;
  spend(node, rank, settings_.costs.receive(packets), Doing::kReceiving);
  const std::uint32_t fifo = rank % settings_.cores;
  for (std::uint32_t i = 0; i < packets; ++i) {
    const PacketId id = node.receive(fifo);
    const Label label = *node.payload<Label>(id);
    const Cycles injected = node.packet(id).injected;
    node.give_back(id);
    take(node, rank, label, injected);
  }
  // Their places last: that may bring in packets that wait, and call this processor.
  for (std::uint32_t i = 0; i < packets; ++i) node.free_place(fifo);
  return true;
}

void MessageLayer::take(Adapter& node, Rank rank, const Label& label, Cycles injected) {
  if (label.kind == Kind::kReady) {
    queue_message(rank, label.handle);
    return;
  }
  arrive(node, rank, label, injected);
}

void MessageLayer::arrive(Adapter& node, Rank rank, const Label& label, Cycles injected) {
  Core& core = cores_[rank];
  const auto [found, is_new] = core.incoming.try_emplace(key_of(label));
  Incoming& message = found->second;
  if (is_new) message.label = label;
  if (label.kind != Kind::kAnnounce) {
    if (label.index != message.next_index) {
      ++core.out_of_order;
      spend(node, rank, settings_.reorder, Doing::kReceiving);
    }
    message.next_index = std::max(message.next_index, label.index + 1);
    message.arrived += label.payload;
    message.sent = std::min(message.sent, injected);
    ++message.packets;
  }
  if (is_new) {
    match_in_order(node, rank, label.from);
  } else {
    complete_if_whole(node, rank, key_of(label));
  }
}

/// Messages of one sender are matched in the order in which it sent them, though packets overtake each other.
void MessageLayer::match_in_order(Adapter& node, Rank rank, Rank from) {
  Core& core = cores_[rank];
  for (std::uint32_t& number = core.next_from[from];; ++number) {
    const std::uint64_t key = (std::uint64_t{from} << 32U) | number;
    const auto found = core.incoming.find(key);
    if (found == core.incoming.end()) return;
    if (!bind(node, rank, found->second)) core.unexpected.push_back(key);
  }
}

bool MessageLayer::bind(Adapter& node, Rank rank, Incoming& message) {
  Core& core = cores_[rank];
  const auto found = std::ranges::find_if(core.posted, [&](const Posted& posted) {
    return matches(message.label.from, message.label.tag, posted.from, posted.tag);
  });
  if (found == core.posted.end()) return false;
  const Posted receive = *found;
  core.posted.erase(found);
  accept(node, rank, message, receive);
  return true;
}

void MessageLayer::accept(Adapter& node, Rank rank, Incoming& message, const Posted& receive) {
  message.request = receive.request;
  message.asked = receive.at;
  Label answer = message.label;
  if (answer.kind == Kind::kAnnounce) {
    answer.kind = Kind::kReady;
    const auto coins = static_cast<std::uint32_t>(cores_[rank].random.next());
    queue_control(node, rank, {answer.from, coins, answer});
    return;
  }
  complete_if_whole(node, rank, key_of(answer));
}

void MessageLayer::complete_if_whole(Adapter& node, Rank rank, std::uint64_t key) {
  Core& core = cores_[rank];
  const auto found = core.incoming.find(key);
  const Incoming& message = found->second;
  if (message.request == kNoRequest || message.packets == 0 || message.arrived != message.label.bytes) return;
  if (node_of(message.label.from) != node.node()) spend(node, rank, settings_.message, Doing::kReceiving);
  core.bytes += message.arrived;
  report_delivery(message, rank, std::max(node.now(), message.asked));
  complete(core, message.request);
  core.incoming.erase(found);
}

void MessageLayer::complete(Core& core, RequestId request) {
  core.done[request] = true;
  --core.open;
}

}  // namespace groma::sim::torus
