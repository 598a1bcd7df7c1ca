#include "trace/edit/filter.hpp"

#include <algorithm>

namespace groma::trace {

constexpr std::uint32_t kRunning = 1;

bool Ranges::hold(std::uint64_t number) const {
  return ranges_.empty() || std::ranges::any_of(ranges_, [&](const auto& one) {
           return number >= one.first && number <= one.second;
         });
}

void Filter::begin(const Layout& layout) {
  for (const Object& one : layout.objects) objects_.push_back(rules_.tasks.hold(one.task));
  Layout made = layout;
  header_duration_ = rules_.duration.value_or(layout.duration);
  made.duration = header_duration_;
  next_.begin(made);
}

bool Filter::decide(bool keep, Nanoseconds end) {
  ++(keep ? kept_ : dropped_);
  if (keep) end_of_kept_ = std::max(end_of_kept_, end);
  return keep;
}

void Filter::state(const State& state) {
  const bool is_short = state.state == kRunning && state.end - state.begin < rules_.shortest_burst;
  const bool keep =
      !rules_.no_states && !is_short && objects_[state.object] && rules_.states.hold(state.state);
  if (decide(keep, state.end)) next_.state(state);
}

void Filter::event(const Event& event) {
  const bool is_left_out = !rules_.left_out_types.empty() && rules_.left_out_types.hold(event.type);
  const bool keep =
      !rules_.no_events && !is_left_out && objects_[event.object] && rules_.types.hold(event.type);
  if (decide(keep, event.time)) next_.event(event);
}

void Filter::communication(const Communication& message) {
  const bool keep = !rules_.no_messages && objects_[message.sender] && objects_[message.receiver] &&
                    message.bytes >= rules_.smallest_message;
  if (decide(keep, std::max(message.physical_send, message.physical_receive))) next_.communication(message);
}

bool FilterEdit::is_right(Nanoseconds /*end*/) {
  if (!is_sized_before_ || made_->has_right_duration()) return true;
  rules_.duration = made_->end_of_kept();
  return false;
}

Status FilterEdit::report(JsonObject& object) const {
  object.add("kept", made_->kept()).add("dropped", made_->dropped());
  return Done{};
}

}  // namespace groma::trace
