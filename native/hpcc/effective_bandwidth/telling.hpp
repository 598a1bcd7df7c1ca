// What the root tells of a round: every sample as a case of its own pattern, route and rank.
#pragma once

#include <vector>

#include "hpcc/effective_bandwidth/round.hpp"
#include "job/repetition.hpp"

namespace groma::hpcc {

/// Where a run's samples came from.
struct Surroundings {
  const std::vector<Pattern>& patterns;
  const std::vector<RankPair>& pairs;
  int ranks;
  std::uint64_t seed;
};

/// Cases and their samples, built together so that they cannot disagree; the same cases for every round of a
/// run. On the root.
job::RawSamples tell(const Surroundings& from, const RoundResult& round);

}  // namespace groma::hpcc
