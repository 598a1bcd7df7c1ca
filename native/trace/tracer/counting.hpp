// Counters of a thread, read at the begin and at the end of each call.
#pragma once

#include <array>
#include <cstdint>

#include "counters/counter_set.hpp"
#include "trace/log/format.hpp"
#include "trace/tracer/writer.hpp"

namespace groma::trace {

/// For the thread that opened it. Times are taken inside of the readings, so that they do not hold them.
class Counting {
 public:
  /// Opens the events that `names` lists, separated by commas. Where they cannot be counted together,
  /// nullptr, and the header tells why. The thread that opened it frees it when it ends.
  static Counting* open(const char* names, log::Header& header);
  explicit Counting(counters::CounterSet set);
  ~Counting() = default;
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  Counting(Counting&&) = delete;
  Counting& operator=(Counting&&) = delete;

  void enter() { read(entered_); }
  void leave() { read(left_); }
  /// Counts from here.
  void start_anew();

  // These free the object where its counters cannot be read.
  /// Writes what was counted up to the begin of a call and within it.
  void record_call(Writer& writer);
  /// Writes what was counted up to now.
  void record_point(Writer& writer);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Since the last record of event `index`, and between the last begin and the end after it.
  [[nodiscard]] std::uint64_t before(std::size_t index) const { return entered_[index] - last_[index]; }
  [[nodiscard]] std::uint64_t within(std::size_t index) const { return left_[index] - entered_[index]; }

 private:
  using Values = std::array<std::uint64_t, log::kMaxCounters>;
  void read(Values& values);
  /// False where the descriptors of the counters are not theirs any more: nothing is counted from here on,
  /// and the header tells why.
  bool goes_on(Writer& writer);
  void put_differences(Record& record, const Values& from, const Values& to) const;

  counters::CounterSet counters_;
  std::size_t size_;
  bool works_ = true;
  Values last_{};
  Values entered_{};
  Values left_{};
};

}  // namespace groma::trace
