// What a message layer tells once its run has ended.
#include <algorithm>

#include "sim/torus/messages/message_layer.hpp"

namespace groma::sim::torus {
namespace {

constexpr std::size_t kMaxBlockedToName = 16;

}  // namespace

bool MessageLayer::is_complete() const {
  return std::ranges::all_of(cores_, [](const Core& core) { return core.finished_at != kNever; });
}

std::vector<Blocked> MessageLayer::blocked() const {
  std::vector<Blocked> all;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    if (cores_[rank].finished_at == kNever) all.push_back({rank, cores_[rank].step, needs(rank)});
  }
  return all;
}

/// The peers of the requests for which a rank waits, by its program or by strands for which that waits.
std::vector<Rank> MessageLayer::needs(Rank rank) const {
  const Core& core = cores_[rank];
  const std::vector<Step>& steps = programs_[rank].steps();
  std::vector<Rank> peers;
  if (core.step == steps.size()) return peers;
  const Step& now = steps[core.step];
  const RequestId wanted = now.action == Action::kWaitAll ? kNoRequest : now.request;
  add_peers(rank, steps, core.step, wanted, peers);
  for (const Running& one : core.running) {
    const std::vector<Step>& strand = programs_[rank].strands()[one.strand];
    if (one.step == strand.size() || (wanted != kNoRequest && wanted != one.request)) continue;
    add_peers(rank, strand, one.step, strand[one.step].request, peers);
  }
  return peers;
}

void MessageLayer::add_peers(Rank rank, const std::vector<Step>& steps, std::size_t end, RequestId request,
                             std::vector<Rank>& peers) const {
  for (std::size_t i = 0; i < end; ++i) {
    const Step& step = steps[i];
    const bool is_message = step.action == Action::kSend || step.action == Action::kReceive;
    if (!is_message || cores_[rank].done[step.request]) continue;
    const bool counts = request == kNoRequest || request == step.request;
    if (counts && step.peer != kAnyRank && std::ranges::find(peers, step.peer) == peers.end()) {
      peers.push_back(step.peer);
    }
  }
}

Cycles MessageLayer::time() const {
  Cycles last = 0;
  for (const Core& core : cores_) last = std::max(last, core.finished_at == kNever ? 0 : core.finished_at);
  return last;
}

std::uint64_t MessageLayer::out_of_order() const {
  std::uint64_t all = 0;
  for (const Core& core : cores_) all += core.out_of_order;
  return all;
}

/// By receiver, in the order in which they came.
std::vector<Unreceived> MessageLayer::unreceived() const {
  std::vector<Unreceived> all;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    for (const std::uint64_t key : cores_[rank].unexpected) {
      const Label& label = cores_[rank].incoming.at(key).label;
      all.push_back({label.from, rank, label.tag});
    }
  }
  return all;
}

/// By receiver, in the order in which it asks.
std::vector<Unsent> MessageLayer::unsent() const {
  std::vector<std::vector<Unreceived>> to_come(ranks());  // by receiver
  for (Rank rank = 0; rank < ranks(); ++rank) {
    const auto add = [&](const std::vector<Step>& steps) {
      for (const Step& step : steps) {
        const bool comes = step.action == Action::kSend && !cores_[rank].done[step.request];
        if (comes) to_come[step.peer].push_back({rank, step.peer, step.tag});
      }
    };
    add(programs_[rank].steps());
    for (const std::vector<Step>& strand : programs_[rank].strands()) add(strand);
  }
  std::vector<Unsent> all;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    for (const Posted& posted : cores_[rank].posted) {
      const bool is_sent = std::ranges::any_of(to_come[rank], [&posted](const Unreceived& message) {
        return matches(message.from, message.tag, posted.from, posted.tag);
      });
      if (!is_sent) all.push_back({posted.from, rank, posted.tag});
    }
  }
  return all;
}

void MessageLayer::report(const Outcome& outcome, JsonObject& result) const {
  std::uint64_t bytes = 0;
  Cycles worked = 0;
  for (const Core& core : cores_) {
    bytes += core.bytes;
    worked = std::max(worked, core.processor.worked());
  }
  const Cycles end = is_complete() ? time() : outcome.end.time;
  const auto taken = static_cast<double>(std::max<Cycles>(end, 1));
  if (is_complete()) result.add("finished_at", end);
  result.add("complete", is_complete())
      .add("message_bytes", bytes)
      .add("bytes_per_cycle", static_cast<double>(bytes) / taken)
      .add("out_of_order", out_of_order())
      .add("busiest_processor", static_cast<double>(worked) / taken);
  if (!is_complete()) {
    std::vector<Blocked> all = blocked();
    JsonObject deadlock;
    deadlock.add("cycle", find_cycle(all)).add("ranks", all.size());
    std::vector<Json> named;
    for (std::size_t i = 0; i < std::min(all.size(), kMaxBlockedToName); ++i) {
      named.push_back(JsonObject()
                          .add("rank", all[i].rank)
                          .add("step", all[i].step)
                          .add("waits_for", all[i].waits_for)
                          .json());
    }
    result.add(outcome.ending == Ending::kStopped ? "unfinished" : "deadlock",
               deadlock.add("blocked", named).json());
  }
  if (extra_) extra_(*this, outcome, result);
}

}  // namespace groma::sim::torus
