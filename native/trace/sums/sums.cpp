#include "trace/sums/sums.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace groma::trace {
namespace {

/// A trace has hundreds of kinds of things; one that has more holds numbers that mean nothing.
constexpr std::size_t kMaxKinds = std::size_t{1} << 16U;
constexpr std::size_t kMaxOnAnObject = 4096;
constexpr std::size_t kMaxPairs = std::size_t{1} << 22U;

constexpr double kBandwidthStep = 10;  // MB/s; the bins of the paper's figures
constexpr double kLastBandwidthBin = 1000;

/// The place of a key, or none where the table is full.
template <class Key, class Value>
Value* place(std::map<Key, Value>& table, const Key& key, std::size_t most, std::uint64_t& left_out) {
  const auto found = table.find(key);
  if (found != table.end()) return &found->second;
  if (table.size() < most) return &table[key];
  ++left_out;
  return nullptr;
}

/// Stays at the limit, and returns false, where there is no room for the sum.
bool add_to(std::int64_t& sum, std::int64_t value) {
  using Limits = std::numeric_limits<std::int64_t>;
  const bool is_above = value > 0 && sum > Limits::max() - value;
  const bool is_below = value < 0 && sum < Limits::min() - value;
  if (is_above || is_below) {
    sum = is_above ? Limits::max() : Limits::min();
    return false;
  }
  sum += value;
  return true;
}

void add_call(CallTotals* totals, std::uint64_t sent, std::uint64_t received, std::uint64_t length) {
  if (totals == nullptr) return;
  ++totals->count;
  totals->time += length;
  totals->longest = std::max(totals->longest, length);
  totals->sent += sent;
  totals->received += received;
}

}  // namespace

void Sums::begin(const Layout& layout) {
  layout_ = layout;
  objects_.resize(layout.objects.size());
  tracks_.resize(layout.objects.size());
  timeline_.begin(layout.objects.size());
}

void Sums::state(const State& state) {
  has_records_ = true;
  first_time_ = std::min(first_time_, state.begin);
  last_time_ = std::max(last_time_, state.end);
  objects_[state.object].span.hold(state.begin, state.end);
  auto& sums = objects_[state.object].states;
  TimeSum* const sum = place(sums, state.state, kMaxOnAnObject, left_out_);
  if (sum == nullptr) return;
  ++sum->count;
  sum->time += state.end - state.begin;
  if (!timeline_.add(state)) ++left_out_;
}

void Sums::event(const Event& event) {
  has_records_ = true;
  has_callers_ = has_callers_ || event.type == kCallerType;
  Track& track = tracks_[event.object];
  if (track.moment.ends_before(event)) settle(track);
  track.moment.add(event);
}

/// What begins or ends a region does so before calls begin. Counts are those of the time before.
void Sums::settle(Track& track) {
  const Events events = track.moment.events();
  if (events.empty()) return;
  note_times(events[0]);
  const CallKey region = track.region;
  for (const Event& one : events) {
    if (auto* const count = place(types_, one.type, kMaxKinds, left_out_)) ++*count;
    if (is_region(one.type)) take_region(track, one);
  }
  take_calls(track, region);
  track.moment.clear();
}

void Sums::note_times(const Event& event) {
  first_time_ = std::min(first_time_, event.time);
  last_time_ = std::max(last_time_, event.time);
  objects_[event.object].span.hold(event.time, event.time);
}

void Sums::take_calls(Track& track, const CallKey& region) {
  const Events events = track.moment.events();
  Readings readings;
  Beside beside(events);
  for (auto one = events.begin(); one != events.end(); ++one) {
    if (is_counter(one->type)) {
      const CallKey open = track.pairing.is_open() ? track.call.key : CallKey{};
      take_counter(*one, readings.place(one->type, open), region);
    }
    if (!is_call(one->type)) continue;
    take_call(track, *one, one->value != 0 ? beside.begin(one) : Events(), readings);
  }
}

void Sums::take_call(Track& track, const Event& event, Events beside, Readings& readings) {
  const CallPairing::Step step = track.pairing.take(event);
  if (step == CallPairing::Step::kEnds || step == CallPairing::Step::kReplaces) {
    finish_call(track, event.time);
    readings.end(track.last.key);
  }
  if (step == CallPairing::Step::kBegins || step == CallPairing::Step::kReplaces) {
    enter(track, event, beside);
    readings.begin();
  }
  if (event.value != 0) take_arguments(track.call, beside);
}

void Sums::enter(Track& track, const Event& event, Events beside) {
  const CallKey key{event.type, event.value};
  CallSum* const sum = place(objects_[event.object].calls, key, kMaxOnAnObject, left_out_);
  track.call = {key,    event.time, event.time, sum, region_of(track, event.object), site_of(key, beside),
                nullptr};
}

CallTotals* Sums::site_of(const CallKey& call, Events beside) {
  if (!has_callers_) return nullptr;
  SiteKey key{call};
  for (const Event& one : beside) {
    if (one.type == kCallerType) key.function = one.value;
    if (one.type == kCallerLineType) key.line = one.value;
  }
  return key.function == 0 ? nullptr : place(sites_, key, kMaxKinds, left_out_);
}

/// Of a collective.
void Sums::take_arguments(Call& call, Events beside) {
  if (call.key.type != kCollectiveType) return;
  for (const Event& one : beside) {
    if (one.type == kSentBytesType) call.sent = one.value;
    if (one.type == kReceivedBytesType) call.received = one.value;
    if (one.type != kCommunicatorType) continue;
    const CollectiveKey key{layout_.objects[one.object].application, one.value, call.key};
    call.communicator = place(collectives_, key, kMaxKinds, left_out_);
  }
}

RegionSum* Sums::region_of(const Track& track, ObjectIndex object) {
  if (track.region == CallKey{}) return nullptr;
  return place(objects_[object].regions, track.region, kMaxOnAnObject, left_out_);
}

void Sums::finish_call(Track& track, Nanoseconds time) {
  keep_last(track);
  Call& call = track.call;
  call.end = std::max(time, call.begin);
  if (call.sum != nullptr) {
    CallSum& sum = *call.sum;
    const std::uint64_t length = call.end - call.begin;
    ++sum.count;
    sum.time += length;
    sum.longest = std::max(sum.longest, length);
    if (call.region != nullptr) call.region->calling_time += length;
    take_collective(call);
    for (CallTotals* const totals : {call.site, call.communicator})
      add_call(totals, call.sent, call.received, length);
    take_arrivals(track, call);
    take_departures(track, call);
  }
  track.last = call;
}

void Sums::take_collective(Call& call) {
  call.sum->collective_sent += call.sent;
  call.sum->collective_received += call.received;
  if (is_blocking_collective(call.key.type, call.key.value)) call.arrived += call.received;
}

/// A message belongs to the call within which it arrived, its last moment included.
void Sums::take_arrivals(Track& track, Call& call) {
  while (!track.arrivals.empty() && track.arrivals.top().time <= call.end) {
    const Arrival one = track.arrivals.top();
    track.arrivals.pop();
    if (one.time < call.begin) {
      ++outside_calls_.count;
      outside_calls_.bytes += one.bytes;
      continue;
    }
    arrive(call, one.bytes);
  }
}

void Sums::arrive(Call& call, std::uint64_t bytes) {
  ++call.messages;
  call.arrived += bytes;
  ++call.sum->messages;
  call.sum->received += bytes;
  if (call.site != nullptr) call.site->received += bytes;
  if (call.region == nullptr) return;
  ++call.region->messages;
  call.region->received += bytes;
}

/// A message is sent by the call that is open when it begins to be sent; at the end of one begins the next.
bool Sums::sends(const Call& call, Nanoseconds time) {
  return time == call.begin || (time > call.begin && time < call.end);
}

void Sums::take_departures(Track& track, const Call& call) {
  for (; !track.departures.empty(); track.departures.pop()) {
    const Arrival& one = track.departures.top();
    if (one.time > call.begin && one.time >= call.end) return;
    if (sends(call, one.time) && call.site != nullptr) call.site->sent += one.bytes;
  }
}

/// Lines of some messages precede the call that sends them, others follow its end.
void Sums::depart(const Communication& message) {
  if (!has_callers_) return;
  Track& track = tracks_[message.sender];
  if (track.last.site != nullptr && sends(track.last, message.logical_send)) {
    track.last.site->sent += message.bytes;
  } else {
    track.departures.push({message.logical_send, message.bytes});
  }
}

/// Another call ends.
void Sums::keep_last(Track& track) {
  if (track.last.sum == nullptr) return;
  track.earlier.push_back(track.last);
  if (track.earlier.size() < kEarlierCalls) return;
  settle_arrivals(track.earlier.front());
  track.earlier.pop_front();
}

/// The first of the ended calls that holds a time; none if they do not.
Sums::Call* Sums::call_at(Track& track, Nanoseconds time) {
  if (track.last.sum == nullptr || time > track.last.end) return nullptr;
  if (time > track.last.begin) return &track.last;
  Call* found = time == track.last.begin ? &track.last : nullptr;
  for (auto one = track.earlier.rbegin(); one != track.earlier.rend() && one->end >= time; ++one) {
    if (one->begin <= time) found = &*one;
  }
  return found;
}

/// The call got all of its messages.
void Sums::settle_arrivals(const Call& call) {
  if (call.messages == 0 && call.arrived == 0) return;
  const std::uint64_t time = call.end - call.begin;
  if (call.messages > 0) {
    ++call.sum->receiving_calls;
    call.sum->receiving_time += time;
  }
  if (time == 0) return;
  const double rate = static_cast<double>(call.arrived) * 1e3 / static_cast<double>(time);  // MB/s
  const double bin = std::min(rate / kBandwidthStep, kLastBandwidthBin);
  TimeSum& one = call.sum->bandwidths[static_cast<std::uint32_t>(bin)];
  ++one.count;
  one.time += time;
}

void Sums::take_region(Track& track, const Event& event) {
  auto* const open = place(track.regions, event.type, kMaxOnAnObject, left_out_);
  if (open == nullptr) return;
  const bool goes_on = nests(event.type) && event.value != 0;
  if (open->value != 0) add_stay(event, *open, !goes_on);
  enter_region(*open, event);
  if (is_user_region(event.type)) {
    track.region = open->value == 0 ? CallKey{} : CallKey{event.type, open->value};
  }
}

/// What is around a function that begins is not over: its time counts, but it is no further stay.
void Sums::add_stay(const Event& event, const Region& open, bool is_over) {
  const CallKey key{event.type, open.value};
  RegionSum* const sum = place(objects_[event.object].regions, key, kMaxOnAnObject, left_out_);
  if (sum == nullptr) return;
  sum->count += is_over ? 1 : 0;
  sum->time += event.time - std::min(event.time, open.since);
}

void Sums::enter_region(Region& open, const Event& event) {
  std::uint64_t next = event.value;
  if (nests(event.type) && event.value != 0 && open.value != 0) {
    open.around.push_back(open.value);
    if (open.around.size() > kDeepestNest) {
      open.around.pop_front();
      ++left_out_;
    }
  } else if (event.value == 0 && !open.around.empty()) {
    next = open.around.back();
    open.around.pop_back();
  }
  open.value = next;
  open.since = event.time;
}

void Sums::take_counter(const Event& event, const CallKey& call, const CallKey& region) {
  const CounterKey key{event.type, call, region};
  bool has_room = true;
  for (CounterSum* const sum :
       {place(counters_, key, kMaxKinds, left_out_),
        place(objects_[event.object].counters, event.type, kMaxOnAnObject, left_out_)}) {
    if (sum == nullptr) continue;
    ++sum->count;
    has_room = add_to(sum->sum, static_cast<std::int64_t>(event.value)) && has_room;
  }
  if (!has_room) ++clipped_counts_;
}

void Sums::communication(const Communication& message) {
  has_records_ = true;
  const std::uint64_t number = std::uint64_t{message.sender} << 32U | message.receiver;
  MessageSum*& known = pair_index_[number];
  if (known == nullptr) {
    known = place(pairs_, std::pair(message.sender, message.receiver), kMaxPairs, left_out_);
    if (known == nullptr) pair_index_.erase(number);
  }
  if (known != nullptr) {
    ++known->count;
    known->bytes += message.bytes;
  }
  MessageSum& size = sizes_[static_cast<std::size_t>(std::bit_width(message.bytes))];
  ++size.count;
  size.bytes += message.bytes;
  first_time_ = std::min(first_time_, message.logical_send);
  last_time_ = std::max({last_time_, message.physical_send, message.physical_receive});
  depart(message);
  Track& track = tracks_[message.receiver];
  // Where clocks differ, or a sender is slow, the line of a message follows the end of its call.
  if (Call* const ended = call_at(track, message.physical_receive)) {
    arrive(*ended, message.bytes);
    return;
  }
  track.arrivals.push({message.physical_receive, message.bytes});
}

/// What is open at the end lasts to the end.
void Sums::close(ObjectIndex object) {
  Track& track = tracks_[object];
  if (track.pairing.is_open()) {
    finish_call(track, last_time_);
    objects_[object].span.hold(last_time_, last_time_);
  }
  track.pairing.close();
  for (const Call& one : track.earlier) settle_arrivals(one);
  settle_arrivals(track.last);
  for (const auto& [type, open] : track.regions) {
    while (open.value != 0) take_region(track, {object, last_time_, type, 0});
  }
  for (; !track.arrivals.empty(); track.arrivals.pop()) {
    ++outside_calls_.count;
    outside_calls_.bytes += track.arrivals.top().bytes;
  }
}

void Sums::end(const Names& names) {
  for (Track& track : tracks_) settle(track);
  names_ = names;
  for (ObjectIndex i = 0; i < objects_.size(); ++i) close(i);
}

std::uint64_t Sums::unpaired_calls() const {
  std::uint64_t all = 0;
  for (const Track& track : tracks_) all += track.pairing.unpaired();
  return all;
}

}  // namespace groma::trace
