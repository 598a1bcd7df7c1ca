#include "trace/export/steps_writer.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "trace/model/event_types.hpp"

namespace groma::trace {

void StepsWriter::begin(const Layout& layout) {
  rows_.begin(layout);
  nesting_.begin(layout.objects.size());
}

void StepsWriter::state(const State& state) {
  last_ = std::max(last_, state.end);
  ++left_out_states_;
}

void StepsWriter::event(const Event& event) {
  last_ = std::max(last_, event.time);
  if (is_call(event.type) || is_user_region(event.type)) {
    nesting_.take(event);
  } else {
    ++left_out_events_;
  }
}

void StepsWriter::communication(const Communication& message) {
  last_ = std::max({last_, message.physical_send, message.physical_receive});
  rows_.communication(message);
}

void StepsWriter::enter(ObjectIndex object, Nanoseconds time, const Slice& slice) {
  rows_.step({object, time, 0, slice.begin.type, slice.begin.value});
}

void StepsWriter::leave(ObjectIndex object, Nanoseconds time, const Slice& slice) {
  rows_.step({object, time, 1, slice.begin.type, slice.begin.value});
}

void StepsWriter::end(const Names& names) {
  nesting_.end(last_);
  rows_.end(names);
  rows_.text(JsonObject().add("states", left_out_states_).add("events", left_out_events_).json().text());
}

}  // namespace groma::trace
