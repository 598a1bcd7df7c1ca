// The time in states over the time of a trace: rows of threads by bins of time, in memory that does not grow
// with the trace. What the bins hold adds up to the sums over the states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/model/trace.hpp"

namespace groma::trace {

/// Takes states in any order. The length of a trace is not known before its end: the bins become twice as
/// wide whenever a state lies beyond them.
class Timeline {
 public:
  static constexpr std::size_t kMostRows = 64;
  /// The time in one state, in each bin.
  struct Line {
    std::uint32_t state = 0;
    std::vector<std::uint64_t> times;
  };
  /// Neighbouring threads.
  struct Row {
    ObjectIndex first = 0;
    ObjectIndex last = 0;
    std::vector<Line> lines;  ///< in the order in which the states were seen
  };
  /// `width` is that of a bin; the first one begins at `begin`.
  struct Picture {
    Nanoseconds begin = 0;
    Nanoseconds width = 0;
    std::vector<Row> rows;
  };

  void begin(std::size_t objects);
  /// Whether it has room: a trace has tens of states, one that has more holds numbers that mean nothing.
  bool add(const State& state);
  /// In at most `bins` bins of one width. Without states it has no rows.
  [[nodiscard]] Picture picture(std::size_t bins) const;

 private:
  static constexpr std::size_t kMostStates = 64;
  static constexpr std::size_t kBins = 1024;

  [[nodiscard]] std::uint64_t bin_of(Nanoseconds time) const { return time >> shift_; }
  void hold(Nanoseconds begin, Nanoseconds last);
  void double_width();
  void begin_earlier();
  std::vector<std::uint64_t>* times_of(std::size_t row, std::uint32_t state);

  std::size_t objects_ = 0;
  ObjectIndex threads_of_row_ = 1;
  std::vector<std::vector<Line>> rows_;
  unsigned shift_ = 0;           ///< a bin is 2^shift_ ns wide, and begins at a multiple of that
  std::uint64_t first_bin_ = 0;  ///< the number of that of first_time_, which stands first
  Nanoseconds first_time_ = ~Nanoseconds{0};
  Nanoseconds last_time_ = 0;
};

}  // namespace groma::trace
