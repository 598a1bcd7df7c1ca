// A trace as JSON of the Trace Event Format, which Perfetto and Chrome draw.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "trace/export/nesting.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// A task is a process, a thread a thread. Calls of MPI and regions are slices, counters and values of the
/// program tracks, messages flows from call to call. States are left out: the calls show them. Streams; what
/// has no end ends with the trace.
class PerfettoWriter final : public Sink, private SliceSink {
 public:
  explicit PerfettoWriter(std::ostream& out, const Names& names) : out_(out), names_(names) {}

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

 private:
  std::string text_of(const Event& begin, Events beside) override;
  void enter(ObjectIndex object, Nanoseconds time, const Slice& slice) override;
  void leave(ObjectIndex object, Nanoseconds time, const Slice& slice) override;
  void write_value(const Event& event);
  void write(const std::string& text);
  void write_phase(char phase, ObjectIndex object, Nanoseconds time, const std::string& more);
  [[nodiscard]] std::string label(std::uint32_t type) const;
  [[nodiscard]] std::string label(std::uint32_t type, std::uint64_t value) const;

  std::ostream& out_;
  const Names& names_;
  Nesting nesting_{*this};
  std::vector<std::string> ids_;        ///< of each object: "pid":…,"tid":…
  std::vector<std::uint32_t> threads_;  ///< of each object: its number in the task
  std::uint64_t flows_ = 0;
  Nanoseconds last_ = 0;  ///< the end of the last record
  bool first_ = true;
};

}  // namespace groma::trace
