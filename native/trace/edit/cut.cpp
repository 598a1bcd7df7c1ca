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
  made.duration = moved(range_.to);
  const std::string times = std::to_string(range_.from) + ':' + std::to_string(range_.to);
  // Offset, begin and end, as Paraver's cutter notes them.
  made.comments.push_back("CUTTER:ORIGINAL:\"" + range_.source +
                          "\":" + std::to_string(range_.keep_times ? 0 : range_.from) + ':' + times);
  tracks_.resize(layout.objects.size());
  next_.begin(made);
}

void Cut::state(const State& state) {
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
  auto& open = tracks_[event.object].open;
  if (event.value == 0) {
    open.erase(event.type);
  } else {
    open[event.type] = event.value;
  }
}

void Cut::event(const Event& event) {
  if (event.time > range_.to) return;
  if (event.time <= range_.from) {
    // What ends at `from` does not show.
    if (event.time == range_.from && !(holds(event.type) && event.value == 0)) {
      tracks_[event.object].at_begin.push_back(event);
    }
    note_open(event);
    return;
  }
  reach(event.time);
  const bool begins_at_end = event.time == range_.to && holds(event.type) && event.value != 0;
  if (begins_at_end) return;
  note_open(event);
  next_.event({event.object, moved(event.time), event.type, event.value});
}

void Cut::communication(const Communication& message) {
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

void Cut::open_at_begin(ObjectIndex object) {
  Track& track = tracks_[object];
  const Nanoseconds begin = moved(range_.from);
  for (const auto& [type, value] : track.open) {
    const bool is_written = std::ranges::any_of(
        track.at_begin, [&](const Event& one) { return one.type == type && one.value == value; });
    if (!is_written) next_.event({object, begin, type, value});
  }
  for (const Event& one : track.at_begin) {
    const auto open = track.open.find(one.type);
    const bool is_over = holds(one.type) && (open == track.open.end() || open->second != one.value);
    if (!is_over) next_.event({object, begin, one.type, one.value});
  }
  track.at_begin.clear();
}

void Cut::end(const Names& names) {
  reach(range_.from + 1);
  for (ObjectIndex i = 0; i < tracks_.size(); ++i) {
    for (const auto& [type, value] : tracks_[i].open) next_.event({i, moved(range_.to), type, 0});
  }
  next_.end(names);
}

}  // namespace groma::trace
