// What a rank does besides its updates: what it holds, what it sends, how long it waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "base/clock.hpp"
#include "randomaccess/look_ahead.hpp"

namespace groma::randomaccess {

/// Counts since the updater was made.
struct Activity {
  std::uint64_t most_pending = 0;  ///< updates held at once
  std::uint64_t messages = 0;      ///< sent through MPI, of all kinds
  std::uint64_t part_full = 0;     ///< of these, that had room for more updates
  std::uint64_t empty = 0;   ///< of these, without any update: requests for a turn, and what answers them
  std::uint64_t bytes = 0;   ///< of updates in those messages
  std::uint64_t handed = 0;  ///< updates passed on through shared memory
  Seconds waited{0.0};       ///< with nothing to do
  Seconds delayed{0.0};      ///< busy with nothing, for an experiment

  /// A message left with `updates` of `capacity`.
  void count_message(std::uint64_t updates, std::uint64_t capacity) {
    ++messages;
    part_full += static_cast<std::uint64_t>(updates != 0 && updates < capacity);
    empty += static_cast<std::uint64_t>(updates == 0);
    bytes += updates * sizeof(std::uint64_t);
  }
  /// What was done since `before`, but for the most that was held.
  [[nodiscard]] Activity since(const Activity& before) const {
    Activity done = *this;
    done.messages -= before.messages;
    done.part_full -= before.part_full;
    done.empty -= before.empty;
    done.bytes -= before.bytes;
    done.handed -= before.handed;
    done.waited = done.waited - before.waited;
    done.delayed = done.delayed - before.delayed;
    return done;
  }
  /// One more run of the same rank.
  void add(const Activity& run) {
    most_pending = std::max(most_pending, run.most_pending);
    messages += run.messages;
    part_full += run.part_full;
    empty += run.empty;
    bytes += run.bytes;
    handed += run.handed;
    waited = waited + run.waited;
    delayed = delayed + run.delayed;
  }
};

/// Backoff of a loop that polls: after several steps without work it yields the core, because there may be
/// more workers than cores. It also sums the time from step to step without work. It reads the clock only
/// after such steps, so that work costs nothing more and never counts as waiting, however short it is.
class Backoff {
 public:
  void after_step(bool worked) { worked ? reset() : idle(); }
  /// Steps without work since the last one with some.
  [[nodiscard]] std::uint32_t idle_steps() const { return idle_; }
  [[nodiscard]] Seconds waited() const { return between(0, waited_); }

 private:
  static constexpr std::uint32_t kSpins = 16;

  void reset() { idle_ = 0; }
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
