#include "hpcc/effective_bandwidth/schedule.hpp"

#include <algorithm>

namespace groma::hpcc {

Seconds Pace::expected(const Pattern& pattern) const {
  const auto known = slower_.find({pattern.exchange, pattern.bytes});
  return expected_time(network_, ranks_, pattern) * (known == slower_.end() ? 1.0 : known->second);
}

void Pace::learn(const Pattern& pattern, Seconds time) {
  const double times = time / expected_time(network_, ranks_, pattern);
  double& slower = slower_.try_emplace({pattern.exchange, pattern.bytes}, times).first->second;
  slower = std::max(slower, times);
}

std::optional<SampleSlot> Schedule::next(Seconds now) {
  if (running_ != nullptr) pace_.learn(*running_, now - began_);
  running_ = nullptr;
  while (at_ < order_.size()) {
    const SampleSlot& sample = order_[at_++];
    const Pattern& pattern = patterns_[sample.pattern];
    if (now + pace_.expected(pattern) > end_ && !pace_.knows_nothing()) {
      ++left_out_;
      continue;
    }
    running_ = &pattern;
    began_ = now;
    return sample;
  }
  return std::nullopt;
}

Seconds simulated_round(const std::vector<Pattern>& patterns, std::vector<SampleSlot> order, const Pace& pace,
                        Seconds allowed) {
  Pace copy = pace;
  Schedule schedule(patterns, std::move(order), copy, allowed);
  Seconds now(0.0);
  while (const auto sample = schedule.next(now)) now = now + pace.expected(patterns[sample->pattern]);
  return now;
}

}  // namespace groma::hpcc
