// What becomes of the samples of a round: one case for each pattern, route and rank, known before the first
// of them is measured, and the samples of each slice and round as values of these cases.
#pragma once

#include <functional>
#include <vector>

#include "base/samples.hpp"
#include "hpcc/effective_bandwidth/round.hpp"

namespace groma::hpcc {

/// What the samples of a run are labelled with.
struct PatternContext {
  const std::vector<Pattern>& patterns;
  const std::vector<RankPair>& pairs;
  const std::vector<int>& sampled;  ///< ranks whose own times are kept
  int ranks;
  std::uint64_t seed;
};

/// A value of a case: its place in SampleCases::cases.
struct CaseValue {
  std::size_t which;
  double value;
};

/// Each case beside what gives its values, so that both cannot disagree. `from` outlives it. On the root.
class SampleCases {
 public:
  explicit SampleCases(const PatternContext& from);

  /// What is behind the figures has the label "raw".
  [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }
  [[nodiscard]] std::vector<CaseValue> of_slice(const Slice& slice) const;
  [[nodiscard]] std::vector<CaseValue> of_round(const RoundResult& round) const;

 private:
  using OfSample = std::function<double(const Slice& slice, std::size_t sample)>;
  using OfView = std::function<double(const RankView& view)>;
  using OfRound = std::function<double(const RoundResult& round)>;
  template <class Value>
  struct Source {
    std::size_t which;
    Value value;
  };

  void add_sample(std::size_t pattern, Case one, OfSample value);
  void add_view(std::size_t view, Case one, OfView value);
  void add_round(Case one, OfRound value);
  void add_other_states(const PatternContext& from);
  void add_ring_spread(const PatternContext& from);
  void add_skew(const PatternContext& from);
  void add_times(const PatternContext& from, std::size_t number);
  void add_behind(const PatternContext& from, std::size_t number);
  void add_conditions(const PatternContext& from);

  std::vector<Case> cases_;
  std::vector<std::vector<Source<OfSample>>> of_sample_;  ///< by pattern
  std::vector<std::vector<Source<OfView>>> of_view_;      ///< by sampled rank
  std::vector<Source<OfRound>> of_round_;
};

}  // namespace groma::hpcc
