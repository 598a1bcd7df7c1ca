#include "randomaccess/specialised/budget.hpp"

#include <algorithm>
#include <bit>

#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kBucketsInQueue = 4;

std::uint64_t peers_along(const std::vector<int>& grid, int dimension) {
  return static_cast<std::uint64_t>(grid[static_cast<std::size_t>(dimension)] - 1);
}

std::uint64_t largest_bucket(const Roles& roles, const std::vector<int>& grid, std::uint64_t limit,
                             std::uint64_t window) {
  std::uint64_t bucket = limit;
  for (int rank = 0; rank < roles.ranks(); ++rank) {
    const std::uint64_t buckets = buckets_of(roles, rank, grid);
    const std::uint64_t room = limit - (roles.updates(rank) ? std::min(limit, window) : 0);
    if (buckets != 0) bucket = std::min(bucket, room / buckets);
  }
  return bucket;
}

}  // namespace

std::uint64_t buckets_of(const Roles& roles, int rank, const std::vector<int>& grid) {
  std::uint64_t buckets = roles.targets(rank).size() * (1 + kBucketsInQueue);
  const Stages own = roles.stages(rank);
  for (int stage = own.first; stage < own.end; ++stage) {
    if (stage > 0) buckets += kAtOnce;
    if (stage < roles.dimensions()) buckets += peers_along(grid, stage) + kAtOnce;
  }
  return buckets;
}

Budget budget_of(const Roles& roles, const std::vector<int>& grid, std::uint64_t limit) {
  const std::uint64_t window =
      std::bit_floor(std::clamp<std::uint64_t>(limit / 4, 1, Window<Polynomial>::kDeepest));
  const std::uint64_t bucket = largest_bucket(roles, grid, limit, window);
  return {bucket, std::bit_floor(kBucketsInQueue * bucket), window};
}

}  // namespace groma::randomaccess
