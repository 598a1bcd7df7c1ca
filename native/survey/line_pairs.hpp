// Visiting orders that show whether two addresses lie in one cache line: the same nodes once with the two
// members of each pair one after the other and once scattered.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"
#include "survey/chase.hpp"

namespace groma::survey {

enum class PairOrder {
  kPaired,  ///< pairs in random order, either member of a pair first
  kSingle,  ///< all nodes in random order
};

std::string_view name_of(PairOrder order);

/// The nodes start + i * distance of `span` bytes (a multiple of 2 * distance) in their order. Nodes 2 i and
/// 2 i + 1 are a pair: for powers of two they share a line exactly where a line has 2 * distance bytes or
/// more, because `start` is aligned to a page.
std::vector<Link*> pair_sequence(std::byte* start, Bytes span, Bytes distance, PairOrder order,
                                 RandomStream& random);

}  // namespace groma::survey
