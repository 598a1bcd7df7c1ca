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
  std::span<CallStep> steps = call_steps_;
  if (!steps.empty() && std::exchange(steps[0].ends, false)) end_call(track, events[0].time);
  for (const Event& one : events) {
    if (is_user_region(one.type)) take_region(track, one);
  }
  for (const CallStep& step : steps) {
    if (step.ends) end_call(track, step.event->time);
    if (step.begins) begin_call(track, step);
  }
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

void Nesting::begin_call(Track& track, const CallStep& step) {
  enter(track, step.event->time, {*step.event, sink_.text_of(*step.event, step.beside)});
}

void Nesting::end_call(Track& track, Nanoseconds time) {
  const auto call =
      std::ranges::find_if(track.open, [](const Slice& one) { return is_call(one.begin.type); });
  leave(track, static_cast<std::size_t>(call - track.open.begin()), time);
}

/// The value is the innermost region: one that is open already means that those within it end.
void Nesting::take_region(Track& track, const Event& event) {
  if (nests(event.type)) return take_function(track, event);
  const bool is_open = std::ranges::any_of(track.open, [&](const Slice& one) {
    return one.begin.type == event.type && one.begin.value == event.value;
  });
  const bool ends = event.value == 0 || is_open;
  for (std::size_t i = track.open.size(); ends && i-- > 0;) {
    if (track.open[i].begin.type != event.type) continue;
    if (track.open[i].begin.value == event.value) break;
    leave(track, i, event.time);
  }
  if (!ends) enter(track, event.time, {event, sink_.text_of(event, {})});
}

void Nesting::take_function(Track& track, const Event& event) {
  if (event.value != 0) {
    if (track.open.size() < kDeepestNest) return enter(track, event.time, {event, sink_.text_of(event, {})});
    ++track.too_deep;
    return;
  }
  if (track.too_deep > 0) {
    --track.too_deep;
    return;
  }
  const auto innermost = std::find_if(track.open.rbegin(), track.open.rend(),
                                      [&](const Slice& one) { return one.begin.type == event.type; });
  if (innermost == track.open.rend()) return;
  leave(track, static_cast<std::size_t>(track.open.rend() - innermost) - 1, event.time);
}

void Nesting::enter(Track& track, Nanoseconds time, Slice slice) {
  sink_.enter(slice.begin.object, time, slice);
  track.open.push_back(std::move(slice));
}

/// What is open within it ends as well, and goes on after it.
void Nesting::leave(Track& track, std::size_t which, Nanoseconds time) {
  const auto place = static_cast<std::ptrdiff_t>(which);
  for (std::size_t i = track.open.size(); i-- > which;) {
    sink_.leave(track.open[i].begin.object, time, track.open[i]);
  }
  track.open.erase(track.open.begin() + place);
  for (std::size_t i = which; i < track.open.size(); ++i) {
    sink_.enter(track.open[i].begin.object, time, track.open[i]);
  }
}

void Nesting::end(Nanoseconds last) {
  for (Track& track : tracks_) settle(track);
  for (Track& track : tracks_) {
    for (; !track.open.empty(); track.open.pop_back()) {
      sink_.leave(track.open.back().begin.object, last, track.open.back());
    }
  }
}

}  // namespace groma::trace
