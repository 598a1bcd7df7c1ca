// How the updates that the ranks of a node may hold are divided among them by need, and among the places of a
// rank (Aggarwal et al. 2008, section 4.3.1). The buckets of a dimension share a pool: at most one of them is
// full at any time, and while one leaves, the others are between empty and full, so that they hold about half
// of what they have room for. A pool therefore lets a bucket be almost twice as large as an equal share.
// Where a pool is used up, its fullest bucket leaves; so no rank ever holds more than its budget.
#pragma once

#include <cstdint>
#include <vector>

#include "randomaccess/look_ahead.hpp"
#include "randomaccess/specialised/roles.hpp"

namespace groma::randomaccess {

/// Updates that a rank may hold at once, by place.
struct Budget {
  std::uint64_t bucket = 0;  ///< in a message at most: the same on all ranks
  std::vector<std::uint64_t> dimensions =
      {};                      ///< of each dimension that it sends along: filling or under way
  std::uint64_t receives = 0;  ///< posted, a bucket each
  std::uint64_t queues = 0;    ///< for other ranks of the node: filling or unread. They count for the writer
  std::uint64_t window = 0;    ///< that wait for their words, on a rank that updates
};

/// Of each rank of a node, where nodes form such a grid; no length is 1. Empty where the limit is too low.
std::vector<Budget> budgets_of(const Roles& roles, const std::vector<int>& grid, const Allowance& allowance);

/// The roles that follow from the numbers: usual_routers, with fewer lanes where a node's limit, divided
/// among all of them, would leave messages of only a few updates.
Roles usual_roles(int ranks, const std::vector<int>& grid, const Allowance& allowance);

}  // namespace groma::randomaccess
