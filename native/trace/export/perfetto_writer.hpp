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
/// call without an end ends with the trace.
class PerfettoWriter final : public Sink {
 public:
  explicit PerfettoWriter(std::ostream& out, const Names& names) : out_(out), names_(names) {}

  void begin(const Layout& layout) override;
  void state(const State& /*state*/) override {}
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

 private:
  struct Track {
    std::string ids;  ///< "pid":…,"tid":…
    std::uint32_t task = 0;
    bool in_call = false;
    std::uint32_t call_type = 0;
    std::vector<std::uint64_t> regions;  ///< that are open, the outermost first
  };

  void settle_line();
  void begin_call(Track& track, const Event& event);
  void end_call(Track& track, Nanoseconds time);
  void enter_region(Track& track, const Event& event);
  void write_value(const Track& track, const Event& event);
  void slice(const Track& track, char phase, Nanoseconds time, const std::string& more);
  void write(const std::string& text);
  [[nodiscard]] std::string label(std::uint32_t type) const;
  [[nodiscard]] std::string label(std::uint32_t type, std::uint64_t value) const;

  std::ostream& out_;
  const Names& names_;
  std::vector<Track> tracks_;
  std::vector<Event> line_;  ///< events of one thread and time
  std::uint64_t flows_ = 0;
  Nanoseconds last_ = 0;
  bool first_ = true;
};

}  // namespace groma::trace
