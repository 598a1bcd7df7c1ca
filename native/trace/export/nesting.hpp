// Calls, regions and functions of threads as slices that nest, for formats in which nothing else is allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/model/call_pairing.hpp"
#include "trace/model/moment.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// A call, a region or a function from an enter to a leave.
struct Slice {
  Event begin;       ///< which says what it is
  std::string text;  ///< made by SliceSink::text_of
};

/// Hears of slices: those of a thread in order of time.
class SliceSink {
 public:
  SliceSink() = default;
  SliceSink(const SliceSink&) = delete;
  SliceSink& operator=(const SliceSink&) = delete;
  virtual ~SliceSink() = default;

  /// What goes with each slice of this begin.
  virtual std::string text_of(const Event& /*begin*/, Events /*beside*/) { return {}; }
  virtual void enter(ObjectIndex object, Nanoseconds time, const Slice& slice) = 0;
  virtual void leave(ObjectIndex object, Nanoseconds time, const Slice& slice) = 0;
};

/// Where a slice ends before one that began within it, the inner one is two slices. At one time, what is open
/// ends before other things begin, and regions begin and end before calls begin.
class Nesting {
 public:
  explicit Nesting(SliceSink& sink) : sink_(sink) {}

  void begin(std::size_t objects) { tracks_.resize(objects); }
  /// Events of a thread come in order of time.
  void take(const Event& event);
  /// All that is open ends then.
  void end(Nanoseconds last);

 private:
  struct OpenSlice {
    Slice slice;
    bool is_over = false;  ///< at the moment, and left before anything else happens
  };
  struct Track {
    Moment moment;
    CallPairing calls;
    std::vector<OpenSlice> open;  ///< the outermost first; one call at most
    bool has_over = false;
    std::uint64_t too_deep = 0;  ///< functions that are left out within the others
  };
  /// What a begin or an end does to the calls of its thread.
  struct CallStep {
    const Event* event = nullptr;
    Events beside;
    bool ends = false;  ///< the open call
    bool begins = false;
  };

  void settle(Track& track);
  void find_call_steps(Track& track);
  static void end_call(Track& track);
  void take_region(Track& track, const Event& event);
  void take_function(Track& track, const Event& event);
  static void mark_over(Track& track, OpenSlice& slice);
  void enter(Track& track, Slice slice);
  void leave_those_over(Track& track, Nanoseconds time);

  SliceSink& sink_;
  std::vector<Track> tracks_;
  std::vector<CallStep> call_steps_;  ///< of the moment
};

}  // namespace groma::trace
