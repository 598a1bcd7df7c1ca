// The length of a trace, which its header may not have known.
#pragma once

#include <optional>

#include "trace/edit/edit.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// Sets the length of a trace.
class DurationSink final : public Sink {
 public:
  DurationSink(Sink& next, Nanoseconds length) : next_(next), length_(length) {}
  void begin(const Layout& layout) override {
    Layout made = layout;
    made.duration = length_;
    next_.begin(made);
  }
  void state(const State& one) override { next_.state(one); }
  void event(const Event& one) override { next_.event(one); }
  void communication(const Communication& one) override { next_.communication(one); }
  void end(const Names& names) override { next_.end(names); }

 private:
  Sink& next_;
  Nanoseconds length_;
};

/// The trace with this length.
class DurationEdit final : public Edit {
 public:
  explicit DurationEdit(Nanoseconds length) : length_(length) {}
  Sink& begin(Sink& next) override { return made_.emplace(next, length_); }

 private:
  Nanoseconds length_;
  std::optional<DurationSink> made_;
};

}  // namespace groma::trace
