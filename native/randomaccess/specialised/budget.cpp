#include "randomaccess/specialised/budget.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "randomaccess/routed/messages.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

/// A message costs as much as so many updates do (section 4.3.1 has 31 on 64 nodes).
constexpr std::uint64_t kWorthAMessage = 32;

/// What the places of a rank need, in halves of a bucket.
struct Needs {
  std::vector<std::uint64_t> dimensions = {};
  std::uint64_t receives = 0;
  std::uint64_t queues = 0;

  [[nodiscard]] std::uint64_t total() const {
    return std::accumulate(dimensions.begin(), dimensions.end(), receives + queues);
  }
};

std::uint64_t need_along(const std::vector<int>& grid, int dimension) {
  const auto peers = static_cast<std::uint64_t>(grid[static_cast<std::size_t>(dimension)] - 1);
  return halves_that_fill(peers) + kUnderWay;  // two full ones are under way
}

/// A batch through shared memory costs less than a message, so more readers need less than proportionally
/// more room.
std::uint64_t need_of_queues(std::uint64_t readers) {
  return readers == 0 ? 0 : 1 + static_cast<std::uint64_t>(std::bit_width(readers));
}

Needs needs_of(const Roles& roles, int rank, const std::vector<int>& grid) {
  Needs needs{.queues = need_of_queues(roles.targets(rank).size())};
  const Stages own = roles.stages(rank);
  for (int stage = own.first; stage < own.end; ++stage) {
    if (stage > 0) needs.receives += 2 * kPosted;
    if (stage < roles.dimensions()) needs.dimensions.push_back(need_along(grid, stage));
  }
  return needs;
}

/// An eighth of a node's limit; up to a quarter where that leaves less than eight misses to overlap on each
/// rank that updates.
std::uint64_t windows_of_node(std::uint64_t limit, std::uint64_t updaters) {
  return std::clamp(8 * updaters, limit / 8, limit / 4) / updaters;
}

std::uint64_t window_of(const Allowance& allowance, int updaters) {
  const std::uint64_t share = allowance.of_node
                                  ? windows_of_node(allowance.updates, static_cast<std::uint64_t>(updaters))
                                  : allowance.updates / 4;
  return std::bit_floor(std::clamp<std::uint64_t>(share, 1, Window<Polynomial>::kDeepest));
}

/// `updates` for so many halves of a bucket.
struct Share {
  std::uint64_t updates;
  std::uint64_t halves;
  [[nodiscard]] std::uint64_t of(std::uint64_t need) const {
    return halves == 0 ? 0 : updates * need / halves;
  }
};

std::uint64_t less(std::uint64_t limit, std::uint64_t taken) {
  return limit - std::min(limit, taken);
}

/// The share that each rank's needs are met from: a node's limit is divided among all needs of its ranks.
std::vector<Share> shares_of(const std::vector<Needs>& needs, const Roles& roles, const Allowance& allowance,
                             std::uint64_t window) {
  std::uint64_t halves = 0;
  for (const Needs& one : needs) halves += one.total();
  const std::uint64_t windows = static_cast<std::uint64_t>(roles.updaters()) * window;
  std::vector<Share> shares;
  for (int rank = 0; rank < roles.ranks(); ++rank) {
    const std::uint64_t own = roles.updates(rank) ? window : 0;
    const std::uint64_t of_rank = needs[static_cast<std::size_t>(rank)].total();
    shares.push_back(allowance.of_node ? Share{less(allowance.updates, windows), halves}
                                       : Share{less(allowance.updates, own), of_rank});
  }
  return shares;
}

Budget budget_from(const Share& share, const Needs& needs, std::uint64_t bucket, std::uint64_t window) {
  Budget budget{.bucket = bucket,
                .receives = needs.receives / 2 * bucket,
                .queues = share.of(needs.queues),
                .window = window};
  for (const std::uint64_t need : needs.dimensions) budget.dimensions.push_back(share.of(need));
  return budget;
}

/// Whether every place has room for one update.
bool is_enough(const Budget& budget, const Needs& needs) {
  const bool exchanges = needs.receives != 0 || !needs.dimensions.empty();
  return (!exchanges || budget.bucket != 0) && (needs.queues == 0 || budget.queues != 0);
}

std::uint64_t updates_in_message(const Roles& roles, const std::vector<int>& grid,
                                 const Allowance& allowance) {
  const auto budgets = budgets_of(roles, grid, allowance);
  return budgets.empty() ? 0 : budgets.front().bucket;
}

}  // namespace

std::vector<Budget> budgets_of(const Roles& roles, const std::vector<int>& grid, const Allowance& allowance) {
  std::vector<Needs> needs;
  for (int rank = 0; rank < roles.ranks(); ++rank) needs.push_back(needs_of(roles, rank, grid));
  const std::uint64_t window = window_of(allowance, roles.updaters());
  const std::vector<Share> shares = shares_of(needs, roles, allowance, window);
  std::uint64_t bucket = allowance.updates;
  for (const Share& share : shares) {
    if (share.halves != 0) bucket = std::min(bucket, share.of(2));
  }
  std::vector<Budget> budgets;
  for (int rank = 0; rank < roles.ranks(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    budgets.push_back(budget_from(shares[at], needs[at], bucket, roles.updates(rank) ? window : 0));
    if (!is_enough(budgets.back(), needs[at])) return {};
  }
  return budgets;
}

Roles usual_roles(int ranks, const std::vector<int>& grid, const Allowance& allowance) {
  const int dimensions = static_cast<int>(grid.size());
  Roles roles(ranks, usual_routers(ranks, dimensions), dimensions);
  if (!allowance.of_node || dimensions == 0) return roles;
  while (roles.lanes() > 1 && updates_in_message(roles, grid, allowance) < kWorthAMessage) {
    roles = Roles(ranks, roles.first_of_lane(roles.lanes() - 1), dimensions);
  }
  return roles;
}

}  // namespace groma::randomaccess
