#include "trace/edit/cut.hpp"

#include <algorithm>

#include "trace/model/event_types.hpp"

namespace groma::trace {
namespace {

/// Whether a value holds until the next one, and 0 ends it.
bool holds(std::uint32_t type) {
  return is_call(type) || is_region(type) || type == kApplicationType;
}

}  // namespace

void Cut::begin(const Layout& layout) {
  Layout made = layout;
  header_duration_ = layout.duration;
  made.duration = moved(range_.to);
  // Paraver's cutter notes date, program, origin, offset, begin and end.
  made.comments.push_back(range_.date + ":CUTTER:ORIGINAL:\"" + range_.source +
                          "\":" + std::to_string(range_.keep_times ? 0 : range_.from) + ':' +
                          std::to_string(range_.from) + ':' + std::to_string(range_.to));
  tracks_.resize(layout.objects.size());
  next_.begin(made);
}

void Cut::note_end(Nanoseconds time) {
  end_of_records_ = std::max(end_of_records_.value_or(0), time);
}

void Cut::state(const State& state) {
  note_end(state.end);
  if (state.end <= range_.from || state.begin >= range_.to) return;
  State part = state;
  part.begin = std::max(state.begin, range_.from);
  part.end = std::min(state.end, range_.to);
  reach(part.begin);
  part.begin = moved(part.begin);
  part.end = moved(part.end);
  next_.state(part);
}

void Cut::note_open(const Event& event) {
  if (!holds(event.type)) return;
  Track& track = tracks_[event.object];
  if (is_call(event.type)) {
    track.calls.take(event);
    return;
  }
  auto& open = track.values[event.type];
  if (!nests(event.type)) open.clear();
  if (event.value != 0) {
    open.push_back(event);
    if (open.size() > kDeepestNest) open.pop_front();
  } else if (!open.empty()) {
    open.pop_back();
  }
}

void Cut::event(const Event& event) {
  note_end(event.time);
  if (event.time > range_.to) return;
  if (event.time <= range_.from) {
    if (event.time == range_.from) take_at_begin(event);
    note_open(event);
    return;
  }
  reach(event.time);
  if (event.time == range_.to && takes_at_end(event)) return;
  note_open(event);
  write(event, event.time);
}

/// What ends at `from` does not show, unless it begins there. Functions are written as they are in each
/// other.
void Cut::take_at_begin(const Event& event) {
  if (nests(event.type)) return;
  Track& track = tracks_[event.object];
  if (is_call(event.type) && track.calls.is_open() && track.calls.open().time == range_.from) {
    const Event& open = track.calls.open();
    const auto begin = std::find_if(track.at_begin.rbegin(), track.at_begin.rend(), [&](const AtBegin& one) {
      return one.event.type == open.type && one.event.value == open.value;
    });
    const bool ends = event.type == open.type || event.value != 0;
    if (ends && begin != track.at_begin.rend()) begin->is_without_time = true;
    if (ends && event.value == 0) track.at_begin.push_back({event, true});
  }
  if (!holds(event.type) || event.value != 0) track.at_begin.push_back({event});
}

/// Of what begins at `to` only calls that end there show.
bool Cut::takes_at_end(const Event& event) {
  if (!holds(event.type)) return false;
  Track& track = tracks_[event.object];
  const bool is_listed = nests(event.type) || is_call(event.type);
  if (event.value != 0) {
    if (is_listed) track.left_out[event.type].push_back(event);
    return true;
  }
  if (is_call(event.type) && track.calls.is_open()) return false;
  auto& begins = track.left_out[event.type];
  if (begins.empty()) return false;
  if (is_call(event.type)) {
    write(begins.front(), range_.to);
    write(event, range_.to);
  }
  begins.pop_front();
  return true;
}

void Cut::write(Event event, Nanoseconds time) {
  event.time = moved(time);
  next_.event(event);
}

void Cut::communication(const Communication& message) {
  note_end(std::max(message.physical_send, message.physical_receive));
  const auto [first, last] = std::minmax(
      {message.logical_send, message.physical_send, message.logical_receive, message.physical_receive});
  if (first < range_.from || last > range_.to) {
    if (last >= range_.from && first <= range_.to) ++cut_messages_;
    return;
  }
  reach(message.physical_send);
  Communication part = message;
  for (Nanoseconds* time :
       {&part.logical_send, &part.physical_send, &part.logical_receive, &part.physical_receive}) {
    *time = moved(*time);
  }
  next_.communication(part);
}

/// Once a record after `from` comes, all that is open there is known.
void Cut::reach(Nanoseconds time) {
  if (begun_ || time <= range_.from) return;
  begun_ = true;
  for (ObjectIndex i = 0; i < tracks_.size(); ++i) open_at_begin(i);
}

std::vector<Event> Cut::Track::open() const {
  std::vector<Event> made;
  for (const auto& [type, open] : values) made.insert(made.end(), open.begin(), open.end());
  if (!calls.is_open()) return made;
  const Event& call = calls.open();
  made.insert(std::ranges::upper_bound(made, call.type, {}, &Event::type), call);
  return made;
}

void Cut::open_at_begin(ObjectIndex object) {
  Track& track = tracks_[object];
  const std::vector<Event> open = track.open();
  const auto is_same = [](const Event& one, const Event& other) {
    return other.type == one.type && other.value == one.value;
  };
  for (const Event& one : open) {
    const auto is_there = [&](const AtBegin& other) { return is_same(one, other.event); };
    if (std::ranges::none_of(track.at_begin, is_there)) write(one, range_.from);
  }
  for (const AtBegin& one : track.at_begin) {
    const auto is_it = [&](const Event& other) { return is_same(one.event, other); };
    const bool shows = one.is_without_time || !holds(one.event.type) || std::ranges::any_of(open, is_it);
    if (shows) write(one.event, range_.from);
  }
  track.at_begin.clear();
}

void Cut::end(const Names& names) {
  if (!has_a_part()) return;
  reach(range_.from + 1);
  for (ObjectIndex i = 0; i < tracks_.size(); ++i) {
    for (const Event& one : tracks_[i].open()) next_.event({i, moved(range_.to), one.type, 0, one.cpu});
  }
  next_.end(names);
}

namespace {

std::string seconds_text(Nanoseconds time) {
  return std::to_string(static_cast<double>(time) * 1e-9) + " s";
}

}  // namespace

bool CutEdit::is_right(Nanoseconds end) {
  if (range_.to <= end || range_.from >= end) return true;
  range_.to = end;
  return false;
}

Status CutEdit::report(JsonObject& object) const {
  if (!made_->has_a_part()) {
    return Error{"usage",
                 "nothing lies between " + seconds_text(range_.from) + " and " + seconds_text(range_.to),
                 "the trace ends at " + seconds_text(made_->end_of_trace())};
  }
  object.add("cut_messages", made_->cut_messages());
  return Done{};
}

}  // namespace groma::trace
