#include "trace/export/nesting.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "trace/model/event_types.hpp"

namespace groma::trace {

void Nesting::take(const Event& event) {
  Track& track = tracks_[event.object];
  if (track.moment.ends_before(event)) settle(track);
  track.moment.add(event);
}

void Nesting::settle(Track& track) {
  const Events events = track.moment.events();
  if (events.empty()) return;
  find_call_steps(track);
  const std::span<CallStep> steps = call_steps_;
  if (!steps.empty() && std::exchange(steps[0].ends, false)) end_call(track);
  for (const Event& one : events) {
    if (is_user_region(one.type)) take_region(track, one);
  }
  for (const CallStep& step : steps) {
    if (step.ends) end_call(track);
    if (step.begins) enter(track, {*step.event, sink_.text_of(*step.event, step.beside)});
  }
  leave_those_over(track, events[0].time);
  track.moment.clear();
}

void Nesting::find_call_steps(Track& track) {
  const Events events = track.moment.events();
  Beside beside(events);
  call_steps_.clear();
  for (auto one = events.begin(); one != events.end(); ++one) {
    if (!is_call(one->type)) continue;
    CallStep step{&*one, one->value != 0 ? beside.begin(one) : Events()};
    const CallPairing::Step done = track.calls.take(*one);
    step.ends = done == CallPairing::Step::kEnds || done == CallPairing::Step::kReplaces;
    step.begins = done == CallPairing::Step::kBegins || done == CallPairing::Step::kReplaces;
    if (step.ends || step.begins) call_steps_.push_back(step);
  }
}

void Nesting::end_call(Track& track) {
  mark_over(track, *std::ranges::find_if(track.open, [](const OpenSlice& one) {
              return !one.is_over && is_call(one.slice.begin.type);
            }));
}

void Nesting::mark_over(Track& track, OpenSlice& slice) {
  slice.is_over = track.has_over = true;
}

/// The value is the innermost region: one that is open already means that those within it end.
void Nesting::take_region(Track& track, const Event& event) {
  if (nests(event.type)) return take_function(track, event);
  const auto is_open = [&](const OpenSlice& one) {
    return !one.is_over && one.slice.begin.type == event.type;
  };
  const auto is_same = [&](const OpenSlice& one) {
    return is_open(one) && one.slice.begin.value == event.value;
  };
  const auto same = std::find_if(track.open.rbegin(), track.open.rend(), is_same);
  if (event.value != 0 && same == track.open.rend()) return enter(track, {event, sink_.text_of(event, {})});
  for (auto one = track.open.rbegin(); one != same; ++one) {
    if (is_open(*one)) mark_over(track, *one);
  }
}

void Nesting::take_function(Track& track, const Event& event) {
  if (event.value != 0) {
    if (track.open.size() < kDeepestNest) return enter(track, {event, sink_.text_of(event, {})});
    ++track.too_deep;
    return;
  }
  if (track.too_deep > 0) {
    --track.too_deep;
    return;
  }
  const auto innermost = std::find_if(track.open.rbegin(), track.open.rend(), [&](const OpenSlice& one) {
    return !one.is_over && one.slice.begin.type == event.type;
  });
  if (innermost != track.open.rend()) mark_over(track, *innermost);
}

void Nesting::enter(Track& track, Slice slice) {
  leave_those_over(track, slice.begin.time);
  sink_.enter(slice.begin.object, slice.begin.time, slice);
  track.open.push_back({std::move(slice)});
}

/// What is open within them ends as well, and goes on after them: all at once, so that no part of it is
/// without time.
void Nesting::leave_those_over(Track& track, Nanoseconds time) {
  if (!std::exchange(track.has_over, false)) return;
  const auto place = std::ranges::find_if(track.open, &OpenSlice::is_over) - track.open.begin();
  const auto first = static_cast<std::size_t>(place);
  for (std::size_t i = track.open.size(); i-- > first;) {
    sink_.leave(track.open[i].slice.begin.object, time, track.open[i].slice);
  }
  std::erase_if(track.open, [](const OpenSlice& one) { return one.is_over; });
  for (std::size_t i = first; i < track.open.size(); ++i) {
    sink_.enter(track.open[i].slice.begin.object, time, track.open[i].slice);
  }
}

void Nesting::end(Nanoseconds last) {
  for (Track& track : tracks_) settle(track);
  for (Track& track : tracks_) {
    for (OpenSlice& one : track.open) mark_over(track, one);
    leave_those_over(track, last);
  }
}

}  // namespace groma::trace
