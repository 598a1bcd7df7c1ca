#include "trace/merge/matcher.hpp"

#include <algorithm>
#include <utility>

namespace groma::trace {

std::size_t MessageClassHash::operator()(const MessageClass& one) const noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t hash = (static_cast<std::uint64_t>(one.source) << 32U | one.destination) * golden;
  hash ^= (static_cast<std::uint64_t>(one.tag) + (static_cast<std::uint64_t>(one.group) << 33U) +
           (one.partitioned ? 1U : 0U)) *
          golden;
  return hash ^ (hash >> 29U);
}

Matcher::Class& Matcher::class_of(const MessageClass& key) {
  if (classes_.size() > purge_at_) purge();
  return classes_[key];
}

/// Programs that number their messages by tags would have a class for each.
void Matcher::purge() {
  std::erase_if(classes_,
                [](const auto& one) { return one.second.sends.empty() && one.second.receives.empty(); });
  purge_at_ = std::max<std::size_t>(1U << 14U, classes_.size() * 2);
}

bool Matcher::is_left_out(const MessageClass& key, bool tail) const {
  if (plans_.empty() || !tail) return false;
  const auto plan = plans_.find(key);
  return plan != plans_.end() && !plan->second.has_tail;
}

void Matcher::leave_out(ReceiveId id) {
  receives_.release(id);
  ++left_out_;
}

void Matcher::pass_gap(std::uint32_t application, std::uint32_t rank) {
  for (const auto& [key, plan] : plans_) {
    if (plan.application != application || !plan.has_tail) continue;
    Class& there = class_of(key);
    for (std::uint64_t i = 0; key.source == rank && i < plan.lost_sends; ++i)
      there.sends.push({.lost = true});
    for (std::uint64_t i = 0; key.destination == rank && i < plan.lost_receives; ++i) {
      there.receives.push(
          receives_.add({key, ++posted_, kNobody, 0, 0, Receive::Status::kDiscarded, false, false}));
    }
    match(key, there);
  }
}

void Matcher::send(const MessageClass& to, const SentMessage& message) {
  if (is_left_out(to, is_tail_)) {
    ++left_out_;
    return;
  }
  Class& there = class_of(to);
  there.sends.push(message);
  match(to, there);
}

/// nullptr for a message that was received.
SentMessage* Matcher::find(Class& there, SendId send) {
  return there.sends.find([send](const SentMessage& one) { return one.id == send; });
}

void Matcher::doubt(const MessageClass& to, SendId send) {
  if (SentMessage* const message = find(class_of(to), send)) message->doubted = true;
}

void Matcher::confirm(const MessageClass& to, SendId send) {
  Class& there = class_of(to);
  SentMessage* const message = find(there, send);
  if (message == nullptr) return;
  message->doubted = false;
  match(to, there);
}

void Matcher::withdraw(const MessageClass& to, SendId send) {
  Class& there = class_of(to);
  there.sends.remove([send](const SentMessage& one) { return one.id == send; });
  match(to, there);
}

ReceiveId Matcher::post(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) {
  const ReceiveId id =
      receives_.add({from, ++posted_, receiver, logical, 0, Receive::Status::kPosted, false, is_tail_});
  if (!is_left_out(from, is_tail_)) class_of(from).receives.push(id);
  return id;
}

ReceiveId Matcher::post_any(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) {
  const Receive receive{from, ++posted_, receiver, logical, 0, Receive::Status::kPosted, true, is_tail_};
  const ReceiveId id = receives_.add(receive);
  auto& open = open_[from].receives;
  open.emplace_hint(open.end(), receive.order, id);
  return id;
}

void Matcher::complete(ReceiveId receive, ObjectIndex receiver, Nanoseconds physical) {
  Receive& one = receives_[receive];
  one.receiver = receiver;
  one.physical = physical;
  one.status = Receive::Status::kComplete;
  if (one.any) return;  // of which class it took one, the end infers
  const MessageClass from = one.from;
  if (is_left_out(from, one.tail)) return leave_out(receive);
  match(from, class_of(from));
}

void Matcher::complete_any(ReceiveId receive, const MessageClass& from, ObjectIndex receiver,
                           Nanoseconds physical) {
  Receive& one = receives_[receive];
  one.receiver = receiver;
  const MessageClass pattern = std::exchange(one.from, from);
  one.physical = physical;
  one.status = Receive::Status::kComplete;
  const std::uint64_t order = one.order;
  if (is_left_out(from, one.tail)) {
    leave_out(receive);
    return settle(pattern, order);
  }
  class_of(from).receives.insert(
      receive, [this](ReceiveId a, ReceiveId b) { return receives_[a].order < receives_[b].order; });
  settle(pattern, order);
  match(from, class_of(from));
}

void Matcher::doubt(ReceiveId receive) {
  receives_[receive].doubted = true;
}

void Matcher::free(ReceiveId receive, Nanoseconds freed) {
  Receive& one = receives_[receive];
  if (one.doubted) return abandon(receive);
  one.freed = true;
  complete(receive, one.receiver, freed);
}

void Matcher::abandon(ReceiveId receive) {
  Receive& one = receives_[receive];
  one.status = Receive::Status::kAbandoned;
  const MessageClass from = one.from;
  if (one.any) {
    settle(from, one.order);
    receives_.release(receive);
  } else if (is_left_out(from, one.tail)) {
    leave_out(receive);
  } else {
    match(from, class_of(from));
  }
}

void Matcher::discard(ReceiveId receive) {
  Receive& one = receives_[receive];
  if (one.doubted) return abandon(receive);
  if (one.any) return;  // of which class it took one, the end infers
  one.status = Receive::Status::kDiscarded;
  const MessageClass from = one.from;
  if (is_left_out(from, one.tail)) return leave_out(receive);
  match(from, class_of(from));
}

/// What an open receive got is known now: those behind it may go on.
void Matcher::settle(const MessageClass& pattern, std::uint64_t order) {
  const auto found = open_.find(pattern);
  if (found == open_.end()) return;
  Open& open = found->second;
  open.receives.erase(order);
  release(open, open.receives.empty() ? ~std::uint64_t{0} : open.receives.begin()->first);
  if (open.receives.empty() && open.waiting.empty()) open_.erase(found);
}

/// Goes on with the classes that wait with a receive before this order.
void Matcher::release(Open& open, std::uint64_t before) {
  while (!open.waiting.empty() && open.waiting.begin()->first < before) {
    const MessageClass key = open.waiting.begin()->second;
    open.waiting.erase(open.waiting.begin());
    Class& there = class_of(key);
    there.waits = false;
    match(key, there);
  }
}

/// Open receives that could have got what a receive of this class and order got.
Matcher::Open* Matcher::open_before(const MessageClass& key, std::uint64_t order) {
  if (open_.empty()) return nullptr;
  for (const auto& [source, tag] :
       {std::pair(kAnySource, log::kAny), std::pair(kAnySource, key.tag), std::pair(key.source, log::kAny)}) {
    const auto found = open_.find({key.group, source, key.destination, tag, key.partitioned});
    if (found == open_.end() || found->second.receives.empty()) continue;
    if (found->second.receives.begin()->first < order) return &found->second;
  }
  return nullptr;
}

void Matcher::match(const MessageClass& key, Class& there) {
  while (!there.waits && !there.receives.empty()) {
    const ReceiveId id = there.receives.front();
    const Receive& receive = receives_[id];
    if (receive.status == Receive::Status::kAbandoned) {
      there.receives.pop();
      receives_.release(id);
      continue;
    }
    if (receive.status == Receive::Status::kPosted || there.sends.empty()) return;
    if (there.sends.front().doubted) return;
    if (Open* const open = open_before(key, receive.order)) {
      open->waiting.emplace(receive.order, key);
      there.waits = true;
      return;
    }
    const SentMessage& sent = there.sends.front();
    const bool came_too_early = !plans_.empty() && receive.physical < sent.logical && plans_.contains(key);
    if (receive.status == Receive::Status::kDiscarded || sent.lost || came_too_early) {
      drop_front(there);
    } else {
      deliver(key, there);
    }
  }
}

void Matcher::deliver(const MessageClass& key, Class& there) {
  const ReceiveId id = there.receives.front();
  put_out(key, there.sends.front(), receives_[id]);
  there.sends.pop();
  there.receives.pop();
  receives_.release(id);
}

void Matcher::put_out(const MessageClass& key, const SentMessage& sent, const Receive& receive) {
  const Nanoseconds arrived = receive.freed ? std::max(receive.physical, sent.physical) : receive.physical;
  output_({sent.sender, sent.logical, sent.physical, receive.receiver, receive.logical, arrived, sent.bytes,
           static_cast<std::uint64_t>(key.tag)});
}

/// What is lost on both sides was never there.
void Matcher::drop_front(Class& there) {
  const ReceiveId id = there.receives.front();
  const bool is_known = receives_[id].receiver != kNobody;
  receives_.release(id);
  if (plans_.contains(receives_[id].from)) {
    left_out_ += (is_known ? 1 : 0) + (there.sends.front().lost ? 0 : 1);
  } else {
    ++dropped_;
  }
  there.sends.pop();
  there.receives.pop();
}

void Matcher::finish(const UnknownSends& unknown) {
  for (auto& [key, there] : classes_) {
    there.sends.remove([](const SentMessage& one) { return one.doubted; });
    for (const ReceiveId id : there.receives) {
      Receive& one = receives_[id];
      if (one.doubted && one.status == Receive::Status::kPosted) one.status = Receive::Status::kAbandoned;
    }
    match(key, there);
  }
  infer(unknown);
  OpenReceives open = std::exchange(open_, {});
  for (auto& [pattern, one] : open) {
    one.receives.clear();
    release(one, ~std::uint64_t{0});
  }
  for (auto& [key, there] : classes_) {
    match(key, there);
    drop_unseen(key, there);
  }
}

/// A receive before one that got its message got one as well, though nobody saw it arrive.
void Matcher::drop_unseen(const MessageClass& key, Class& there) {
  std::size_t behind = 0;  // receives after the last that is complete
  for (const ReceiveId id : there.receives) {
    ++behind;
    if (receives_[id].status == Receive::Status::kComplete) behind = 0;
  }
  while (there.receives.size() > behind && !there.sends.empty()) {
    if (receives_[there.receives.front()].status == Receive::Status::kPosted) drop_front(there);
    match(key, there);
  }
}

Matcher::Unmatched Matcher::unmatched() const {
  Unmatched left{dropped_, dropped_};
  for (const auto& [key, there] : classes_) {
    if (plans_.contains(key)) continue;
    left.sent += there.sends.size();
    left.received += there.receives.size();
  }
  return left;
}

std::uint64_t Matcher::left_out() const {
  std::uint64_t left = left_out_;
  for (const auto& [key, plan] : plans_) {
    const auto found = classes_.find(key);
    if (found == classes_.end()) continue;
    left += static_cast<std::uint64_t>(
        std::ranges::count_if(found->second.sends, [](const SentMessage& one) { return !one.lost; }));
    left += static_cast<std::uint64_t>(std::ranges::count_if(
        found->second.receives, [this](ReceiveId id) { return receives_[id].receiver != kNobody; }));
  }
  return left;
}

}  // namespace groma::trace
