// To what the counters of a thread belong that are read at one time.
#pragma once

#include <cstdint>

#include "trace/sums/call_key.hpp"

namespace groma::trace {

/// What ends and begins at one time of a thread, and its counters, in the order of the trace. A reading of
/// the counters stands before or after the event of its call. At an end it tells what the call did, at a
/// begin what was done before. Where there is one reading for an end and a begin, it is that of the end.
class Readings {
 public:
  void end(const CallKey& call) {
    if (!is_read_ && !has_ended_) {
      has_ended_ = true;
      ended_ = call;
    }
    leave_place();
  }
  void begin() {
    const bool is_read = is_read_ahead_;
    leave_place();
    begins_unread_ = !is_read;
  }
  /// Of the value of a counter; `open` is the call that is open, or none.
  const CallKey& place(std::uint32_t counter, const CallKey& open) {
    if (first_ != 0 && counter != first_) return place_;
    first_ = counter;
    place_ = next_place(open);
    return place_;
  }

 private:
  void leave_place() {
    first_ = 0;
    is_read_ = is_read_ahead_ = begins_unread_ = false;
  }
  CallKey next_place(const CallKey& open) {
    if (has_ended_) {
      has_ended_ = false;
      return ended_;
    }
    if (begins_unread_) {
      begins_unread_ = false;
      return {};
    }
    (open == CallKey{} ? is_read_ahead_ : is_read_) = true;
    return open;
  }

  std::uint32_t first_ = 0;  ///< counter of the reading
  CallKey place_{};          ///< of the reading
  CallKey ended_{};          ///< has no reading yet
  bool has_ended_ = false;
  bool begins_unread_ = false;  ///< a call began and has no reading yet
  bool is_read_ = false;        ///< the open call has that of its end
  bool is_read_ahead_ = false;  ///< the next call has that of its begin
};

}  // namespace groma::trace
