// A trace as JSON of the Trace Event Format, which Perfetto and Chrome draw.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "trace/model/trace.hpp"

namespace groma::trace {

/// A task is a process, a thread a thread. Calls of MPI and regions are slices, counters and values of the
/// program tracks, messages flows from call to call. States are left out: the calls show them. Streams; a
/// call without an end ends with the trace. Slices of a thread nest: where a call ends before a region that
/// began within it, that region is two slices.
class PerfettoWriter final : public Sink {
 public:
  explicit PerfettoWriter(std::ostream& out, const Names& names) : out_(out), names_(names) {}

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

 private:
  /// A slice that is open: a call or a region.
  struct Slice {
    std::uint32_t type = 0;
    std::uint64_t value = 0;
    std::string what;  ///< category, name and arguments
  };
  struct Track {
    std::string ids;  ///< "pid":…,"tid":…
    std::uint32_t task = 0;
    std::vector<Slice> open;     ///< the outermost first
    std::uint64_t too_deep = 0;  ///< functions that are left out within the others
  };

  void settle_line();
  std::size_t end_open_calls(Track& track);
  void begin_calls(Track& track, std::size_t ends);
  void begin_call(Track& track, const Event& event);
  bool end_call(Track& track, Nanoseconds time);
  void take_region(Track& track, const Event& event);
  void take_nested(Track& track, const Event& event);
  [[nodiscard]] Slice slice_of_region(const Event& event) const;
  void begin_slice(Track& track, Nanoseconds time, Slice slice);
  void end_slice(Track& track, std::size_t which, Nanoseconds time);
  void write_value(const Track& track, const Event& event);
  void write(const std::string& text);
  void write_slice(const Track& track, char phase, Nanoseconds time, const std::string& more);
  [[nodiscard]] std::string label(std::uint32_t type) const;
  [[nodiscard]] std::string label(std::uint32_t type, std::uint64_t value) const;

  std::ostream& out_;
  const Names& names_;
  std::vector<Track> tracks_;
  std::vector<Event> line_;  ///< events of one thread and time
  std::uint64_t flows_ = 0;
  Nanoseconds last_ = 0;  ///< the end of the last record
  bool first_ = true;
};

}  // namespace groma::trace
