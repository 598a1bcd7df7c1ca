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
    // What ends at `from` does not show. Functions are written as they are in each other.
    const bool shows = !nests(event.type) && !(holds(event.type) && event.value == 0);
    if (event.time == range_.from && shows) tracks_[event.object].at_begin.push_back(event);
    note_open(event);
    return;
  }
  reach(event.time);
  if (event.time == range_.to && holds(event.type)) {
    if (event.value != 0) {
      if (nests(event.type) || is_call(event.type)) ++tracks_[event.object].left_out[event.type];
      return;
    }
    if (ends_what_is_left_out(event)) return;
  }
  note_open(event);
  Event part = event;
  part.time = moved(event.time);
  next_.event(part);
}

/// An end ends the call before `to` first, if there is one.
bool Cut::ends_what_is_left_out(const Event& event) {
  Track& track = tracks_[event.object];
  if (is_call(event.type) && track.calls.is_open()) return false;
  const auto found = track.left_out.find(event.type);
  if (found == track.left_out.end() || found->second == 0) return false;
  --found->second;
  return true;
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
  const auto write = [&](Event one) {
    one.time = moved(range_.from);
    next_.event(one);
  };
  const auto is_of = [](const Event& one) {
    return [&one](const Event& other) { return other.type == one.type && other.value == one.value; };
  };
  for (const Event& one : open) {
    if (std::ranges::none_of(track.at_begin, is_of(one))) write(one);
  }
  for (const Event& one : track.at_begin) {
    if (!holds(one.type) || std::ranges::any_of(open, is_of(one))) write(one);
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

}  // namespace groma::trace
