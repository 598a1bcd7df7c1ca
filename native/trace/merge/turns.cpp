#include "trace/merge/turns.hpp"

#include <algorithm>
#include <utility>

namespace groma::trace {
namespace {

constexpr Nanoseconds kUnknown = ContendedClass::kUnknown;

std::size_t number_before(const std::vector<std::uint64_t>& orders, std::uint64_t order) {
  return static_cast<std::size_t>(std::ranges::lower_bound(orders, order) - orders.begin());
}

}  // namespace

bool is_match(const MessageClass& pattern, const MessageClass& key) {
  return pattern.group == key.group && pattern.destination == key.destination &&
         pattern.partitioned == key.partitioned &&
         (pattern.source == kAnySource || pattern.source == key.source) &&
         (pattern.tag == log::kAny || pattern.tag == key.tag);
}

Turns::Turns(std::vector<ContendedClass> classes, std::vector<UnseenReceives> unseen, UnknownSends unknown)
    : unknown_(std::move(unknown)) {
  for (const auto& [_, number] : unknown_.by_rank) unknown_sum_ += number;
  for (ContendedClass& one : classes) sides_.push_back(side_of(std::move(one)));
  for (UnseenReceives& one : unseen) {
    patterns_.push_back({std::move(one.orders), {}});
    set_deadlines(patterns_.back(), one.pattern);
  }
  for (Side& side : sides_) {
    meet(side, unseen);
    bound_by_time(side);
    bound(side);
  }
}

Turns::Side Turns::side_of(ContendedClass what) {
  const std::size_t sent = what.sent.size();
  const std::size_t taken = what.takers.size();
  return {std::move(what), {}, sent - std::min(sent, taken), {}, {}};
}

/// An unseen receive got its message before any later one that may get the same.
void Turns::set_deadlines(Pattern& pattern, const MessageClass& key) const {
  std::vector<ContendedClass::Taker> later;
  for (const Side& side : sides_) {
    const auto& takers = side.what.takers;
    if (is_match(key, side.what.key)) later.insert(later.end(), takers.begin(), takers.end());
  }
  std::ranges::sort(later, {}, &ContendedClass::Taker::order);
  pattern.deadlines.resize(pattern.orders.size());
  Nanoseconds earliest = kUnknown;
  for (std::size_t i = pattern.orders.size(); i-- > 0;) {
    for (; !later.empty() && later.back().order > pattern.orders[i]; later.pop_back()) {
      earliest = std::min(earliest, later.back().arrived);
    }
    pattern.deadlines[i] = earliest;
  }
}

void Turns::meet(Side& side, const std::vector<UnseenReceives>& unseen) const {
  const Nanoseconds first_sent = side.what.sent.empty() ? 0 : std::ranges::min(side.what.sent);
  const Nanoseconds soonest = first_sent - std::min(first_sent, unknown_.clock_error);
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (!is_match(unseen[i].pattern, side.what.key)) continue;
    const auto& deadlines = patterns_[i].deadlines;
    side.meetings.push_back(
        {i, static_cast<std::size_t>(std::ranges::lower_bound(deadlines, soonest) - deadlines.begin())});
  }
}

/// A message does not arrive before it is sent.
void Turns::bound_by_time(Side& side) const {
  const auto& takers = side.what.takers;
  const auto& sent = side.what.sent;
  side.most_by_time.resize(takers.size());
  std::uint64_t most = side.surplus;
  for (std::size_t i = takers.size(); i-- > 0;) {
    const Nanoseconds arrived = takers[i].arrived;
    if (arrived < kUnknown - unknown_.clock_error) {
      const auto after = std::ranges::upper_bound(sent, arrived + unknown_.clock_error);
      const auto by_then = static_cast<std::uint64_t>(after - sent.begin());
      most = std::min(most, by_then - std::min<std::uint64_t>(by_then, i + 1));
    }
    side.most_by_time[i] = most;
  }
}

/// How many unseen receives could have got a message of this class by their patterns.
std::uint64_t Turns::posted_before(const Side& side, std::uint64_t order) const {
  std::uint64_t all = 0;
  for (const Meeting& one : side.meetings) all += number_before(patterns_[one.pattern].orders, order);
  return all;
}

/// And in time.
std::uint64_t Turns::in_time_before(const Side& side, std::uint64_t order) const {
  std::uint64_t all = 0;
  for (const Meeting& one : side.meetings) {
    const std::size_t posted = number_before(patterns_[one.pattern].orders, order);
    all += posted - std::min(posted, one.first);
  }
  return all;
}

void Turns::bound(Side& side) const {
  for (const ContendedClass::Taker& one : side.what.takers) side.most.push_back(most_before(side, one.order));
}

/// How many messages of this class they took at most: after a taker, only those that were posted after it
/// take more.
std::uint64_t Turns::most_before(const Side& side, std::uint64_t order) const {
  const auto& takers = side.what.takers;
  const auto next = std::ranges::lower_bound(takers, order, {}, &ContendedClass::Taker::order);
  const auto place = static_cast<std::size_t>(next - takers.begin());
  const std::uint64_t in_time = in_time_before(side, order);
  std::uint64_t most = std::min(in_time, place < takers.size() ? side.most_by_time[place] : side.surplus);
  if (place > 0) {
    most = std::min(most, side.most[place - 1] + in_time - in_time_before(side, takers[place - 1].order));
  }
  return most;
}

/// How many messages they took at most of other classes. Stops at a number that is enough.
std::uint64_t Turns::taken_elsewhere(const Side& side, std::uint64_t order, std::uint64_t enough) const {
  std::uint64_t elsewhere = unknown_sum_;
  for (const Side& other : sides_) {
    if (elsewhere >= enough) break;
    if (&other != &side) elsewhere += most_before(other, order);
  }
  return std::min(elsewhere, enough);
}

std::vector<std::optional<std::uint64_t>> Turns::taken(std::size_t number) const {
  const Side& side = sides_[number];
  std::vector<std::optional<std::uint64_t>> made;
  std::uint64_t least = 0;
  std::uint64_t asked = 0;
  const bool has_all = !unknown_.of_any_rank && !unknown_.by_rank.contains(side.what.key.source);
  for (std::size_t i = 0; i < side.most.size(); ++i) {
    const std::uint64_t order = side.what.takers[i].order;
    const std::uint64_t posted = posted_before(side, order);
    const std::uint64_t most = side.most[i];
    if (least < most && posted > asked) {  // no more posted: no more than before were taken for sure
      least = std::min(most, posted - taken_elsewhere(side, order, posted - least));
      asked = posted;
    }
    made.push_back(posted == 0 || (least == most && has_all) ? std::optional(least) : std::nullopt);
  }
  return made;
}

}  // namespace groma::trace
