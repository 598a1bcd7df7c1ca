// The slices of a trace and its messages as rows of numbers (trace/export/rows_writer.hpp), for formats in
// which calls and regions nest. The last frame is text: how many states, and events that begin or end no
// slice, were left out.
#pragma once

#include <cstdint>
#include <ostream>

#include "trace/export/nesting.hpp"
#include "trace/export/rows_writer.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

class StepsWriter final : public Sink, private SliceSink {
 public:
  StepsWriter(std::ostream& out, const Names& names) : rows_(out, names) {}

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

 private:
  void enter(ObjectIndex object, Nanoseconds time, const Slice& slice) override;
  void leave(ObjectIndex object, Nanoseconds time, const Slice& slice) override;

  RowsWriter rows_;
  Nesting nesting_{*this};
  Nanoseconds last_ = 0;  ///< the end of the last record
  std::uint64_t left_out_states_ = 0;
  std::uint64_t left_out_events_ = 0;
};

}  // namespace groma::trace
