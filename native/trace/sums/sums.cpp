#include "trace/sums/sums.hpp"

#include <algorithm>
#include <bit>

namespace groma::trace {
namespace {

/// A trace has hundreds of kinds of things; one that has more holds numbers that mean nothing.
constexpr std::size_t kMaxKinds = std::size_t{1} << 16U;
constexpr std::size_t kMaxOnAnObject = 4096;
constexpr std::size_t kMaxPairs = std::size_t{1} << 22U;
/// A line of Extrae holds up to 1,024 pairs.
constexpr std::size_t kMaxOfALine = 65536;

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
  if (!line_.empty() &&
      (line_[0].object != event.object || line_[0].time != event.time || line_.size() == kMaxOfALine)) {
    settle_line();
  }
  line_.push_back(event);
}

void Sums::settle_line() {
  if (line_.empty()) return;
  const ObjectIndex object = line_[0].object;
  Track& track = tracks_[object];
  first_time_ = std::min(first_time_, line_[0].time);
  last_time_ = std::max(last_time_, line_[0].time);
  objects_[object].span.hold(line_[0].time, line_[0].time);
  for (const Event& one : line_) {
    if (auto* const count = place(types_, one.type, kMaxKinds, left_out_)) ++*count;
    has_callers_ = has_callers_ || one.type == kCallerType;
  }
  const Call* left = nullptr;
  // What ends here comes before what begins, whatever the order of the line.
  const std::size_t ends = end_open_calls(track, left);
  take_counters(track, left);
  begin_calls(track, object, ends);
  for (const Event& one : line_) {
    if (one.type == kSentBytesType && track.in_call) track.call.sent = one.value;
    if (one.type == kReceivedBytesType && track.in_call) track.call.received = one.value;
    if (one.type == kCommunicatorType && track.in_call) take_communicator(track, one);
    if (is_region(one.type)) take_region(track, one);
  }
  line_.clear();
}

/// Returns the number of ends of calls that are not open: they begin here as well, and have no time.
std::size_t Sums::end_open_calls(Track& track, const Call*& left) {
  std::size_t ends = 0;
  for (const Event& one : line_) {
    if (!is_call(one.type) || one.value != 0) continue;
    if (track.in_call) {
      leave(track, one);
      left = &track.last;
    } else {
      ++ends;
    }
  }
  return ends;
}

/// Where a call ends and the next begins at one time, the second reading is of what lies between.
void Sums::take_counters(Track& track, const Call* left) {
  std::uint32_t first_counter = 0;
  for (const Event& one : line_) {
    if (!is_counter(one.type)) continue;
    if (one.type == first_counter) left = nullptr;
    if (first_counter == 0) first_counter = one.type;
    take_counter(track, one, left);
  }
}

/// The first `ends` of them end at once.
void Sums::begin_calls(Track& track, ObjectIndex object, std::size_t ends) {
  for (const Event& one : line_) {
    if (!is_call(one.type) || one.value == 0) continue;
    enter(track, object, one);
    if (ends == 0) continue;
    --ends;
    leave(track, {object, one.time, one.type, 0});
  }
  for (const Event& one : line_) {
    if (!is_call(one.type) || one.value != 0 || ends == 0) continue;
    --ends;
    leave(track, one);
  }
}

void Sums::enter(Track& track, ObjectIndex object, const Event& event) {
  const CallKey key{event.type, event.value};
  if (track.in_call) {
    if (track.call.key == key && track.call.begin == event.time) return;  // said twice
    ++unpaired_calls_;
    finish_call(track, event.time);
  }
  CallSum* const sum = place(objects_[object].calls, key, kMaxOnAnObject, left_out_);
  track.call = {key, event.time, event.time, sum, region_of(track, object), site_of(key), nullptr};
  track.in_call = true;
}

/// The events of its callers are on the line of its begin.
CallTotals* Sums::site_of(const CallKey& call) {
  if (!has_callers_) return nullptr;
  SiteKey key{call};
  for (const Event& one : line_) {
    if (one.type == kCallerType) key.function = one.value;
    if (one.type == kCallerLineType) key.line = one.value;
  }
  return key.function == 0 ? nullptr : place(sites_, key, kMaxKinds, left_out_);
}

/// Its event is on the line of the begin of a collective.
void Sums::take_communicator(Track& track, const Event& event) {
  if (track.call.key.type != kCollectiveType || track.call.begin != event.time) return;
  const CollectiveKey key{layout_.objects[event.object].application, event.value, track.call.key};
  track.call.communicator = place(collectives_, key, kMaxKinds, left_out_);
}

RegionSum* Sums::region_of(const Track& track, ObjectIndex object) {
  if (track.region == CallKey{}) return nullptr;
  return place(objects_[object].regions, track.region, kMaxOnAnObject, left_out_);
}

void Sums::leave(Track& track, const Event& event) {
  if (!track.in_call || event.time < track.call.begin) {
    const bool is_repeated = !track.in_call && track.last.end == event.time && track.last.sum != nullptr;
    if (!is_repeated) ++unpaired_calls_;
    return;
  }
  if (track.call.key.type != event.type) ++unpaired_calls_;
  finish_call(track, event.time);
}

/// A call lasts to the next event of any call, whatever its type, as Paraver has it.
void Sums::finish_call(Track& track, Nanoseconds time) {
  keep_last(track);
  Call& call = track.call;
  track.in_call = false;
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

/// The newest of the ended calls that holds a time; none if they do not.
Sums::Call* Sums::call_at(Track& track, Nanoseconds time) {
  if (track.last.sum == nullptr || time > track.last.end) return nullptr;
  if (time >= track.last.begin) return &track.last;
  const auto holds = [time](const Call& one) { return time >= one.begin && time <= one.end; };
  const auto found = std::find_if(track.earlier.rbegin(), track.earlier.rend(), holds);
  return found == track.earlier.rend() ? nullptr : &*found;
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

/// At the end of a call a counter tells what the call did, elsewhere what was done outside of calls.
void Sums::take_counter(Track& track, const Event& event, const Call* left) {
  CounterKey key{event.type, {}, track.region};
  if (left != nullptr) {
    key.call = left->key;
  } else if (track.in_call) {
    key.call = track.call.key;
  }
  for (CounterSum* const sum :
       {place(counters_, key, kMaxKinds, left_out_),
        place(objects_[event.object].counters, event.type, kMaxOnAnObject, left_out_)}) {
    if (sum == nullptr) continue;
    ++sum->count;
    sum->sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum->sum) + event.value);
  }
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
  if (track.in_call) {
    ++unpaired_calls_;
    finish_call(track, last_time_);
  }
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
  settle_line();
  names_ = names;
  for (ObjectIndex i = 0; i < objects_.size(); ++i) close(i);
}

}  // namespace groma::trace
