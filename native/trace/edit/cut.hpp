// A part of a trace in time.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "trace/model/trace.hpp"

namespace groma::trace {

struct CutRange {
  Nanoseconds from = 0;
  Nanoseconds to = 0;
  bool keep_times = false;  ///< else times count from `from`
  std::string source;       ///< of the trace that is cut
  std::string date;         ///< of the cut: YYYYMMDDhhmmss
};

/// Takes a trace in the order of a .prv and hands on what happens in [from, to]. States are clipped. Calls,
/// regions and other events whose value holds until the next are open at `from` and closed at `to` where they
/// go beyond. Messages that are not wholly within are left out.
class Cut final : public Sink {
 public:
  Cut(Sink& next, CutRange range) : next_(next), range_(std::move(range)) {}

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

  [[nodiscard]] std::uint64_t cut_messages() const { return cut_messages_; }

 private:
  /// Events of one thread at `from`, and what is open on it.
  struct Track {
    std::map<std::uint32_t, std::deque<Event>>
        open;  ///< of each type; of those that nest the outermost first
    std::vector<Event> at_begin;
    std::map<std::uint32_t, std::uint64_t> left_out;  ///< functions that begin at `to`
  };
  [[nodiscard]] Nanoseconds moved(Nanoseconds time) const {
    return range_.keep_times ? time : time - range_.from;
  }
  void note_open(const Event& event);
  bool ends_what_is_left_out(const Event& event);
  void reach(Nanoseconds time);
  void open_at_begin(ObjectIndex object);

  Sink& next_;
  CutRange range_;
  std::vector<Track> tracks_;
  bool begun_ = false;  ///< what is open at `from` was written
  std::uint64_t cut_messages_ = 0;
};

}  // namespace groma::trace
