// What a rank does beside its updates: what it holds, what it sends, how long it waits.
#pragma once

#include <cstdint>
#include <thread>

#include "base/clock.hpp"
#include "randomaccess/look_ahead.hpp"

namespace groma::randomaccess {

/// Counts since the updater was made.
struct Activity {
  std::uint64_t most_pending = 0;  ///< updates held at once
  std::uint64_t messages = 0;      ///< sent through MPI, empty ones too
  std::uint64_t bytes = 0;         ///< of updates in those messages
  std::uint64_t handed = 0;        ///< updates passed on through shared memory
  Seconds waited{0.0};             ///< with nothing to do

  /// One more run of the same rank.
  void add(const Activity& run) {
    most_pending = std::max(most_pending, run.most_pending);
    messages += run.messages;
    bytes += run.bytes;
    handed += run.handed;
    waited = waited + run.waited;
  }
};

/// Gives the core away after a while without work, since there may be more workers than cores, and counts the
/// time from turn to turn without work. The clock is read at the end of such turns only, so that work costs
/// nothing more, and never counts as waiting, however short it is.
class Patience {
 public:
  void spent_turn(bool worked) { worked ? work() : idle(); }
  /// Turns without work since the last one with some.
  [[nodiscard]] std::uint32_t idle_turns() const { return idle_; }
  [[nodiscard]] Seconds waited() const { return between(0, waited_); }

 private:
  static constexpr std::uint32_t kSpins = 16;

  void work() { idle_ = 0; }
  void idle() {
    if (idle_ >= kSpins) std::this_thread::yield();
    const std::int64_t now = monotonic_ns();
    if (idle_++ != 0) waited_ += now - last_;
    last_ = now;
  }

  std::uint32_t idle_ = 0;
  std::int64_t last_ = 0;
  std::int64_t waited_ = 0;
};

}  // namespace groma::randomaccess
