// The events of a thread at one time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "trace/model/event_types.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

using Events = std::span<const Event>;

/// Gathers them: lines of other threads may stand between those of one time.
class Moment {
 public:
  /// Whether the events so far are to be dealt with, and cleared, before this one is added.
  [[nodiscard]] bool ends_before(const Event& event) const {
    if (events_.empty()) return false;
    const Event& first = events_[0];
    return first.time != event.time || first.object != event.object || events_.size() == kMost;
  }
  void add(const Event& event) { events_.push_back(event); }
  void clear() { events_.clear(); }
  /// In the order of the trace.
  [[nodiscard]] Events events() const { return events_; }

 private:
  /// A line of Extrae holds up to 1,024.
  static constexpr std::size_t kMost = 65536;

  std::vector<Event> events_;
};

/// Finds what stands beside the begins of calls among the events of a moment: what comes before the next
/// begin, and, of the first one, what comes before it.
class Beside {
 public:
  explicit Beside(Events events) : events_(events) {}

  /// Of a begin, one after the other.
  Events begin(Events::iterator call) {
    const auto begins_call = [](const Event& one) { return is_call(one.type) && one.value != 0; };
    const auto from = is_first_ ? events_.begin() : call;
    is_first_ = false;
    return {from, std::find_if(call + 1, events_.end(), begins_call)};
  }

 private:
  Events events_;
  bool is_first_ = true;
};

}  // namespace groma::trace
