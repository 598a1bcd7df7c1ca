#include "trace/merge/matcher.hpp"

#include <algorithm>
#include <utility>

namespace groma::trace {

std::size_t Matcher::Hash::operator()(const MessageClass& one) const noexcept {
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

ReceiveId Matcher::make(const Receive& receive) {
  if (free_.empty()) {
    receives_.push_back(receive);
    return static_cast<ReceiveId>(receives_.size() - 1);
  }
  const ReceiveId id = free_.back();
  free_.pop_back();
  receives_[id] = receive;
  return id;
}

void Matcher::send(const MessageClass& to, const SentMessage& message) {
  Class& there = class_of(to);
  there.sends.push(message);
  match(to, there);
}

ReceiveId Matcher::post(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) {
  const ReceiveId id = make({from, ++posted_, 0, receiver, logical, 0, Receive::Status::kPosted, false});
  class_of(from).receives.push(id);
  return id;
}

ReceiveId Matcher::post_any(std::uint32_t process, std::uint32_t group, ObjectIndex receiver,
                            Nanoseconds logical) {
  const Receive receive{{group, 0, 0, 0, false},  ++posted_, process, receiver, logical, 0,
                        Receive::Status::kPosted, true};
  open_[process].push_back({receive.order, group});
  return make(receive);
}

void Matcher::complete(ReceiveId receive, Nanoseconds physical) {
  Receive& one = receives_[receive];
  one.physical = physical;
  one.status = Receive::Status::kComplete;
  const MessageClass from = one.from;
  match(from, class_of(from));
}

void Matcher::complete_any(ReceiveId receive, const MessageClass& from, Nanoseconds physical) {
  Receive& one = receives_[receive];
  one.from = from;
  one.physical = physical;
  one.status = Receive::Status::kComplete;
  class_of(from).receives.insert(
      receive, [this](ReceiveId a, ReceiveId b) { return receives_[a].order < receives_[b].order; });
  settle_any(receive);
  match(from, class_of(from));
}

void Matcher::abandon(ReceiveId receive) {
  Receive& one = receives_[receive];
  one.status = Receive::Status::kAbandoned;
  if (one.any) {
    settle_any(receive);
    free_.push_back(receive);
  } else {
    const MessageClass from = one.from;
    match(from, class_of(from));
  }
}

/// The class of a receive is known now: those behind it may go on.
void Matcher::settle_any(ReceiveId id) {
  const Receive one = receives_[id];
  auto& open = open_[one.process];
  std::erase_if(open, [&one](const Open& other) { return other.order == one.order; });
  const auto waiting = std::exchange(waiting_[one.process], {});
  for (const MessageClass& key : waiting) match(key, class_of(key));
}

bool Matcher::must_wait(const Receive& receive) const {
  if (open_.empty()) return false;
  // Receives that name their source and tag do not know their process; the destination is the same rank.
  const auto open = open_.find(receive.any ? receive.process : receive.from.destination);
  return open != open_.end() && std::any_of(open->second.begin(), open->second.end(), [&](const Open& other) {
           return other.group == receive.from.group && other.order < receive.order;
         });
}

void Matcher::match(const MessageClass& key, Class& there) {
  while (!there.receives.empty()) {
    const ReceiveId id = there.receives.front();
    const Receive& receive = receives_[id];
    if (receive.status == Receive::Status::kAbandoned) {
      there.receives.pop();
      free_.push_back(id);
      continue;
    }
    if (receive.status == Receive::Status::kPosted || there.sends.empty()) return;
    if (must_wait(receive)) {
      waiting_[key.destination].push_back(key);
      return;
    }
    const SentMessage sent = there.sends.front();
    there.sends.pop();
    there.receives.pop();
    free_.push_back(id);
    output_({sent.sender, sent.logical, sent.physical, receive.receiver, receive.logical, receive.physical,
             sent.bytes, static_cast<std::uint64_t>(key.tag)});
  }
}

Matcher::Unmatched Matcher::unmatched() const {
  Unmatched left;
  for (const auto& [key, there] : classes_) {
    left.sent += there.sends.size();
    left.received += there.receives.size();
  }
  return left;
}

}  // namespace groma::trace
