#include "trace/merge/gap_plans.hpp"

namespace groma::trace {

void MessageCounter::send(const MessageClass& to, const SentMessage& /*message*/) {
  ClassCounts::Parts& sent = counts_[to].sent;
  ++(is_tail_ ? sent.tail : sent.head);
}

/// A request does not outlast a gap, so its message is of the same part.
void MessageCounter::withdraw(const MessageClass& to, SendId /*send*/) {
  ClassCounts::Parts& sent = counts_[to].sent;
  --(is_tail_ ? sent.tail : sent.head);
}

ReceiveId MessageCounter::post(const MessageClass& from, ObjectIndex /*receiver*/, Nanoseconds /*logical*/) {
  return receives_.add({from, false, is_tail_});
}

ReceiveId MessageCounter::post_any(const MessageClass& from, ObjectIndex /*receiver*/,
                                   Nanoseconds /*logical*/) {
  return receives_.add({from, true, is_tail_});
}

void MessageCounter::count(const MessageClass& from, ReceiveId receive) {
  ClassCounts::Parts& received = counts_[from].received;
  ++(receives_[receive].tail ? received.tail : received.head);
  receives_.release(receive);
}

void MessageCounter::complete(ReceiveId receive, ObjectIndex /*receiver*/, Nanoseconds /*physical*/) {
  if (receives_[receive].any) return abandon(receive);  // of which class it took one is not known
  count(receives_[receive].from, receive);
}

void MessageCounter::complete_any(ReceiveId receive, const MessageClass& from, ObjectIndex /*receiver*/,
                                  Nanoseconds /*physical*/) {
  count(from, receive);
}

void MessageCounter::discard(ReceiveId receive) {
  if (receives_[receive].any || receives_[receive].doubted) {
    abandon(receive);
  } else {
    count(receives_[receive].from, receive);
  }
}

namespace {

/// What is missing between the messages that are known on this side, where the other one has all.
std::uint64_t lost_of(const ClassCounts::Parts& known, std::uint64_t all) {
  const std::uint64_t sum = known.head + known.tail;
  return all >= sum ? all - sum : 0;
}

ClassPlan plan_of(const ClassCounts& counts, const Process& source, const Process& destination) {
  const std::uint64_t sent = counts.sent.head + counts.sent.tail;
  const std::uint64_t received = counts.received.head + counts.received.tail;
  ClassPlan plan;
  plan.application = source.application;
  plan.has_tail = source.is_whole && destination.is_whole;
  if (!destination.has_gap()) {
    plan.lost_sends = lost_of(counts.sent, received);
    plan.has_tail = plan.has_tail && sent <= received;
  } else if (!source.has_gap()) {
    plan.lost_receives = lost_of(counts.received, sent);
    plan.has_tail = plan.has_tail && received <= sent;
  } else {
    // How many are lost on both sides is not known: no message before the gap of one is one after that of the
    // other.
    plan.lost_sends = received;
    plan.lost_receives = sent;
  }
  return plan;
}

}  // namespace

Plans plans_of(const MessageCounter::Counts& counts, const Processes& processes) {
  Plans plans;
  for (const auto& [key, count] : counts) {
    const std::uint32_t application = processes.groups().at(key.group).application;
    const Process* const source = processes.find(application, key.source);
    const Process* const destination = processes.find(application, key.destination);
    if (source == nullptr || destination == nullptr) continue;
    if (!source->has_gap() && !destination->has_gap()) continue;
    plans.emplace(key, plan_of(count, *source, *destination));
  }
  return plans;
}

}  // namespace groma::trace
