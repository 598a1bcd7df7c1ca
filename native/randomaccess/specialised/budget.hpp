// How the updates that a rank may hold are divided among its buckets (Aggarwal et al. 2008, section 4.3.1).
// Room is set aside for all that can be full at once, so that no rank can hold more than its limit.
#pragma once

#include <cstdint>
#include <vector>

#include "randomaccess/specialised/roles.hpp"

namespace groma::randomaccess {

/// Buckets under way along a dimension, and buckets of a receiving rank that messages come into.
constexpr std::uint64_t kAtOnce = 4;

struct Budget {
  std::uint64_t bucket;  ///< updates in every bucket of every rank; 0 where the limit is too low
  std::uint64_t queue;   ///< updates in every queue, at least a bucket; they count for the rank that writes
  std::uint64_t window;  ///< updates that wait for their words, on a rank that updates
};

/// Buckets that a rank of the node needs room for, where nodes form such a grid; no length is 1.
std::uint64_t buckets_of(const Roles& roles, int rank, const std::vector<int>& grid);

/// For ranks that may each hold `limit` updates.
Budget budget_of(const Roles& roles, const std::vector<int>& grid, std::uint64_t limit);

}  // namespace groma::randomaccess
