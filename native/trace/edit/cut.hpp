// A part of a trace in time.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/edit/edit.hpp"
#include "trace/model/call_pairing.hpp"
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
/// go beyond. Messages that are not wholly within are left out. A trace that ends before the range has no
/// part: its end is not handed on.
class Cut final : public Sink {
 public:
  Cut(Sink& next, CutRange range) : next_(next), range_(std::move(range)) {}

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

  [[nodiscard]] std::uint64_t cut_messages() const { return cut_messages_; }
  /// Where the trace ends: with its last record, or where its header says if it has none.
  [[nodiscard]] Nanoseconds end_of_trace() const { return end_of_records_.value_or(header_duration_); }
  [[nodiscard]] bool has_a_part() const { return range_.from < end_of_trace(); }

 private:
  struct AtBegin {
    Event event;
    bool is_without_time = false;  ///< begin or end of a call that begins and ends at `from`
  };
  /// Events of one thread at `from`, and what is open on it.
  struct Track {
    CallPairing calls;
    /// Of each other type; of those that nest the outermost first.
    std::map<std::uint32_t, std::deque<Event>> values;
    std::vector<AtBegin> at_begin;
    std::map<std::uint32_t, std::deque<Event>> left_out;  ///< calls and functions that begin at `to`

    [[nodiscard]] std::vector<Event> open() const;
  };
  [[nodiscard]] Nanoseconds moved(Nanoseconds time) const {
    return range_.keep_times ? time : time - range_.from;
  }
  void note_open(const Event& event);
  void take_at_begin(const Event& event);
  bool takes_at_end(const Event& event);
  void write(Event event, Nanoseconds time);
  void note_end(Nanoseconds time);
  void reach(Nanoseconds time);
  void open_at_begin(ObjectIndex object);

  Sink& next_;
  CutRange range_;
  std::vector<Track> tracks_;
  Nanoseconds header_duration_ = 0;
  std::optional<Nanoseconds> end_of_records_;
  bool begun_ = false;  ///< what is open at `from` was written
  std::uint64_t cut_messages_ = 0;
};

/// The part of a trace. The length of it stands before its records, and ends with those of the trace.
class CutEdit final : public Edit {
 public:
  explicit CutEdit(CutRange range) : range_(std::move(range)) {}
  Sink& begin(Sink& next) override { return made_.emplace(next, range_); }
  bool is_right(Nanoseconds end) override;
  /// An error (usage) if nothing lies in the range.
  Status report(JsonObject& object) const override;
  [[nodiscard]] bool ends_at_last_record() const override { return false; }

 private:
  CutRange range_;
  std::optional<Cut> made_;
};

}  // namespace groma::trace
