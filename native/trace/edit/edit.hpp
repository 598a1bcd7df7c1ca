// What is made of a trace while it is read from one file and written to another.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// The trace as it is, and what other edits differ in. A trace may be read several times: what takes it is
/// made anew each time.
class Edit {
 public:
  Edit() = default;
  Edit(const Edit&) = delete;
  Edit& operator=(const Edit&) = delete;
  Edit(Edit&&) = delete;
  Edit& operator=(Edit&&) = delete;
  virtual ~Edit() = default;

  /// What takes the trace, in the order of its times, and hands on to `next`. Valid until the next call.
  virtual Sink& begin(Sink& next) { return next; }
  /// Whether what came out is right; else the trace is read again. `end` is that of the trace.
  virtual bool is_right(Nanoseconds /*end*/) { return true; }
  /// What is said of it, once it is right. An error if nothing came out.
  virtual Status report(JsonObject& /*object*/) const { return Done{}; }
  /// Whether the length of a store is the time of its last record, whatever the header says.
  [[nodiscard]] virtual bool ends_at_last_record() const { return true; }
};

}  // namespace groma::trace
