// What became of receives from any source of which nobody saw the end, and of those behind them.
#include <algorithm>
#include <utility>

#include "trace/merge/matcher.hpp"

namespace groma::trace {

void Matcher::infer(const UnknownSends& unknown) {
  for (auto& [place, box] : mailboxes()) {
    std::vector<MessageClass> keys;
    for (const ContendedClass& one : box.classes) keys.push_back(one.key);
    const Turns turns(std::move(box.classes), std::move(box.unseen), unknown);
    for (std::size_t i = 0; i < keys.size(); ++i) hand_out(keys[i], turns.taken(i));
  }
}

Matcher::Mailboxes Matcher::mailboxes() {
  Mailboxes made;
  for (const auto& [pattern, open] : open_) {
    UnseenReceives unseen{pattern};
    for (const auto& [order, id] : open.receives) {
      if (!receives_[id].doubted) unseen.orders.push_back(order);
    }
    if (unseen.orders.empty()) continue;
    made[{pattern.group, pattern.destination, pattern.partitioned}].unseen.push_back(std::move(unseen));
  }
  if (made.empty()) return made;
  for (const auto& [key, there] : classes_) {
    const auto box = made.find({key.group, key.destination, key.partitioned});
    if (box != made.end()) contend(key, box->second);
  }
  return made;
}

/// Adds a class to those from which unseen receives may have got their messages.
void Matcher::contend(const MessageClass& key, Mailbox& box) {
  const auto may_get = [&key](const UnseenReceives& one) { return is_match(one.pattern, key); };
  if (std::ranges::none_of(box.unseen, may_get)) return;
  if (plans_.contains(key)) return leave_out_doubtful(key, box);
  const Class& there = classes_.at(key);
  ContendedClass made{key};
  for (const SentMessage& one : there.sends) made.sent.push_back(one.logical);
  for (const ReceiveId id : takers_of(there)) {
    const Receive& one = receives_[id];
    const bool is_seen = one.status == Receive::Status::kComplete && !one.freed;
    made.takers.push_back({one.order, is_seen ? one.physical : ContendedClass::kUnknown});
  }
  box.classes.push_back(std::move(made));
}

/// Messages before a gap are counted from the begin: after an unseen receive, their numbers are not known.
void Matcher::leave_out_doubtful(const MessageClass& key, const Mailbox& box) {
  std::uint64_t first = ~std::uint64_t{0};
  for (const UnseenReceives& one : box.unseen) {
    if (is_match(one.pattern, key)) first = std::min(first, one.orders.front());
  }
  for (const ReceiveId id : classes_.at(key).receives) {
    Receive& one = receives_[id];
    if (!one.tail && one.order > first && one.status == Receive::Status::kComplete) {
      one.status = Receive::Status::kDiscarded;
    }
  }
}

/// Receives that got a message: those that say so, and all before them.
std::vector<ReceiveId> Matcher::takers_of(const Class& there) const {
  std::vector<ReceiveId> made;
  std::size_t sure = 0;
  for (const ReceiveId id : there.receives) {
    const Receive::Status status = receives_[id].status;
    if (status == Receive::Status::kAbandoned) continue;
    made.push_back(id);
    if (status != Receive::Status::kPosted) sure = made.size();
  }
  made.resize(sure);
  return made;
}

/// Gives the takers of a class their messages. `taken`: how many messages unseen receives took before each.
void Matcher::hand_out(const MessageClass& key, const std::vector<std::optional<std::uint64_t>>& taken) {
  if (std::ranges::all_of(taken, [](const auto& one) { return one == 0U; })) return;  // match() does it
  Class& there = classes_.at(key);
  const std::vector<SentMessage> sent(there.sends.begin(), there.sends.end());
  const std::vector<ReceiveId> takers = takers_of(there);
  std::optional<std::uint64_t> before = 0;
  std::uint64_t order = 0;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < takers.size() && i + most < sent.size(); ++i) {
    Receive& one = receives_[takers[i]];
    if (taken[i]) most = *taken[i];
    if (taken[i] && before)
      hand_out_unseen(key, std::span(sent).subspan(i + *before, *taken[i] - *before), order, one.order);
    if (one.status != Receive::Status::kComplete) {
      ++dropped_;
    } else if (taken[i]) {
      put_out(key, sent[i + *taken[i]], one);
    } else {
      ++undetermined_;
    }
    before = taken[i];
    order = one.order;
    one.status = Receive::Status::kAbandoned;
    there.sends.pop();
  }
  dropped_ += most;
  for (; most > 0; --most) there.sends.pop();
}

/// These messages went to unseen receives that were posted between two others: to all of them, or nothing
/// says to which.
void Matcher::hand_out_unseen(const MessageClass& key, std::span<const SentMessage> sent, std::uint64_t from,
                              std::uint64_t to) {
  if (sent.empty()) return;
  std::map<std::uint64_t, ReceiveId> between;
  for (const auto& [pattern, open] : open_) {
    if (!is_match(pattern, key)) continue;
    const auto end = open.receives.lower_bound(to);
    for (auto one = open.receives.lower_bound(from); one != end && between.size() <= sent.size(); ++one) {
      if (!receives_[one->second].doubted) between.insert(*one);
    }
  }
  if (between.size() != sent.size()) return;
  for (const auto& [_, id] : between) {
    if (receives_[id].status == Receive::Status::kComplete) {
      put_out(key, sent.front(), receives_[id]);
      --dropped_;
    }
    sent = sent.subspan(1);
  }
}

}  // namespace groma::trace
