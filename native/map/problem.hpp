// A mapping problem as text, and its solution (docs/map.md).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "map/placement.hpp"

namespace groma::map {

enum class Objective { kHopBytes, kCongestion };

struct Problem {
  Target target;
  std::vector<Place> allowed;  ///< at least one for each rank, ascending
  TrafficGraph graph;
  Objective objective = Objective::kHopBytes;
  std::uint64_t seed = 1;
  std::optional<Mapping> start;  ///< that the search begins with, beside its own
};

/// Lines: "places torus 4 4 4", "places mesh 4 4", "places tree 2 4 8 costs 10 5 1" or "places matrix N" with
/// N lines of N distances; "ranks N"; "traffic SOURCE TARGET BYTES" for each pair; and, where wanted,
/// "allowed PLACE…", "start PLACE…", "objective congestion", "seed N". Errors (usage) name the line.
Result<Problem> parse_problem(std::string_view text);

struct Solution {
  Mapping mapping;
  double hop_bytes;
  std::string method;       ///< that found it
  bool is_optimal = false;  ///< by its hop-bytes, where these are the objective, and proven
  std::optional<double> least_congestion = std::nullopt;  ///< no mapping has a busiest link of fewer bytes
};

/// The best mapping that was found. Deterministic for a seed.
Solution solve(const Problem& problem);

Json to_json(const Solution& solution);

}  // namespace groma::map
