// Which sample of a round comes next, so that the round ends in time: pure, and the same on every rank as
// long as it gets the same times.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "hpcc/effective_bandwidth/patterns.hpp"

namespace groma::hpcc {

/// How long samples take: as the network promises, until the first of a kind was measured. Then the slowest
/// so far decides, for a slow cable makes every sample that crosses it slow.
class Pace {
 public:
  Pace(const Network& network, int ranks) : network_(network), ranks_(ranks) {}

  [[nodiscard]] Seconds expected(const Pattern& pattern) const;
  [[nodiscard]] bool knows_nothing() const { return slower_.empty(); }  ///< no sample was measured
  void learn(const Pattern& pattern, Seconds time);

 private:
  using Kind = std::pair<Exchange, std::uint64_t>;  ///< with the bytes of a message
  Network network_;
  int ranks_;
  std::map<Kind, double> slower_;  ///< so many times as long as promised
};

/// One round. `patterns` and `pace` outlive it.
class Schedule {
 public:
  Schedule(const std::vector<Pattern>& patterns, std::vector<SampleSlot> order, Pace& pace, Seconds end)
      : patterns_(patterns), order_(std::move(order)), pace_(pace), end_(end) {}

  /// The next sample that is expected to end by the end of the round; those before it that are not are left
  /// out. The first of all is measured in any case: a run without any sample would have checked nothing.
  /// `now` is that of the slowest rank.
  std::optional<SampleSlot> next(Seconds now);

  /// Every sample had its turn.
  [[nodiscard]] bool is_whole() const { return at_ == order_.size() && left_out_ == 0; }

 private:
  const std::vector<Pattern>& patterns_;
  std::vector<SampleSlot> order_;
  Pace& pace_;
  Seconds end_;
  std::size_t at_ = 0;
  std::size_t left_out_ = 0;
  const Pattern* running_ = nullptr;
  Seconds began_;
};

/// A round from `now` on, as it would pass if every sample took as long as expected: its time.
Seconds simulated_round(const std::vector<Pattern>& patterns, std::vector<SampleSlot> order, const Pace& pace,
                        Seconds allowed);

}  // namespace groma::hpcc
