// Which call of a thread is open.
#pragma once

#include <array>
#include <cstdint>

#include "trace/model/event_types.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// Takes the events of the calls of one thread, in the order of a trace. A call lasts to the next event of
/// any call, as Paraver has it. At one time an end may follow the begin of the next call; of a call that
/// begins at that time, only an end of its own type is the end.
class CallPairing {
 public:
  enum class Step : std::uint8_t {
    kNothing,
    kBegins,   ///< a call
    kEnds,     ///< the open call
    kReplaces  ///< the open call, which ends: another begins
  };

  Step take(const Event& event) { return event.value == 0 ? end(event) : begin(event); }
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// The begin of the open call.
  [[nodiscard]] const Event& open() const { return open_; }
  /// At the end of the trace.
  void close();
  /// Calls that do not end, or end as another type of call, and ends without a call.
  [[nodiscard]] std::uint64_t unpaired() const { return unpaired_; }

 private:
  Step begin(const Event& event);
  Step end(const Event& event);
  /// Whether it is that of a call which another replaced at this time.
  bool is_late(const Event& end);
  void expect_late_end(Nanoseconds time);
  void end_without_call(Nanoseconds time);

  bool is_open_ = false;
  bool has_ended_ = false;
  Event open_;
  Nanoseconds last_end_ = 0;
  Nanoseconds late_time_ = 0;
  std::array<std::uint32_t, kLastCallType - kFirstCallType + 1> late_ends_{};  ///< missing at late_time_
  std::uint64_t unpaired_ = 0;
};

inline CallPairing::Step CallPairing::begin(const Event& event) {
  if (!is_open_) {
    is_open_ = true;
    open_ = event;
    return Step::kBegins;
  }
  const bool is_same = open_.type == event.type && open_.value == event.value;
  if (is_same && open_.time == event.time) return Step::kNothing;  // said twice
  expect_late_end(event.time);
  open_ = event;
  return Step::kReplaces;
}

inline CallPairing::Step CallPairing::end(const Event& event) {
  if (is_late(event)) return Step::kNothing;
  const bool is_own = is_open_ && open_.type == event.type;
  if (!is_open_ || event.time < open_.time || (event.time == open_.time && !is_own)) {
    end_without_call(event.time);
    return Step::kNothing;
  }
  if (!is_own) ++unpaired_;
  is_open_ = false;
  has_ended_ = true;
  last_end_ = event.time;
  return Step::kEnds;
}

inline bool CallPairing::is_late(const Event& end) {
  if (late_time_ != end.time) return false;
  std::uint32_t& missing = late_ends_[end.type - kFirstCallType];
  if (missing == 0) return false;
  --missing;
  --unpaired_;
  return true;
}

/// Of the open call. Until it comes, the call has none.
inline void CallPairing::expect_late_end(Nanoseconds time) {
  if (late_time_ != time) late_ends_.fill(0);
  late_time_ = time;
  ++late_ends_[open_.type - kFirstCallType];
  ++unpaired_;
  has_ended_ = true;
  last_end_ = time;
}

/// The end of a call may be said twice.
inline void CallPairing::end_without_call(Nanoseconds time) {
  if (!has_ended_ || last_end_ != time) ++unpaired_;
}

inline void CallPairing::close() {
  if (is_open_) ++unpaired_;
  is_open_ = false;
}

}  // namespace groma::trace
