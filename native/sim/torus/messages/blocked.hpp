// Ranks that wait for each other for ever.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/torus/messages/program.hpp"

namespace groma::sim::torus {

/// A rank that cannot go on, and the ranks of which it needs something.
struct Blocked {
  Rank rank = 0;
  std::size_t step = 0;  ///< of its program, from 0
  std::vector<Rank> waits_for;
};

/// Ranks each of which waits for the next one, the last for the first; empty where there is no such cycle. Of
/// a rank's ways the first that leads into a cycle is taken.
std::vector<Rank> find_cycle(const std::vector<Blocked>& blocked);

}  // namespace groma::sim::torus
