#include "hpcc/random_access/algorithm.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>

namespace groma::hpcc::random_access {
namespace {

std::deque<Algorithm>& algorithms() {
  static std::deque<Algorithm> all;
  return all;
}

std::string names() {
  std::string all;
  for (const Algorithm* one : registered_algorithms()) {
    all += (all.empty() ? "" : ", ") + std::string(one->name);
  }
  return all;
}

bool suits(const Algorithm& one, const Site& site) {
  return one.can_run(site) && (site.grid.empty() || one.grid != nullptr);
}

const Algorithm* best_for(const Site& site) {
  const Algorithm* best = nullptr;
  for (const Algorithm* one : registered_algorithms()) {
    const bool better = best == nullptr || one->merit(site) > best->merit(site);
    if (suits(*one, site) && better) best = one;
  }
  return best;
}

Status check_grid(const Site& site) {
  if (site.grid.empty()) return Done{};
  const auto places =
      std::accumulate(site.grid.begin(), site.grid.end(), std::int64_t{1}, std::multiplies<>());
  if (places == site.ranks) return Done{};
  return Error{"usage",
               "the grid " + spelled(site.grid) + " has " + std::to_string(places) + " places for " +
                   std::to_string(site.ranks) + " ranks",
               "give lengths whose product is the number of ranks"};
}

Result<const Algorithm*> named(const std::string& name) {
  for (const Algorithm* one : registered_algorithms()) {
    if (one->name == name) return one;
    if (!one->formerly.empty() && one->formerly == name) {
      return Error{
          "usage",
          "the algorithm '" + name + "' of RandomAccess is now called '" + std::string(one->name) + "'",
          "give that name"};
    }
  }
  return Error{"usage", "no algorithm of RandomAccess is called '" + name + "'", "there are " + names()};
}

}  // namespace

std::vector<const Algorithm*> registered_algorithms() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& one : algorithms()) all.push_back(&one);
  std::ranges::sort(all, {}, &Algorithm::number);
  return all;
}

Result<const Algorithm*> choose_algorithm(const std::string& name, const Site& site) {
  if (const Status status = check_grid(site); !status) return status.error();
  if (name.empty()) {
    if (const Algorithm* best = best_for(site)) return best;
    return Error{"usage", "no algorithm of RandomAccess can run on these ranks",
                 "allow more look-ahead, or place all ranks on one node"};
  }
  const auto found = named(name);
  if (!found) return found.error();
  const Algorithm& one = *found.value();
  const std::string called = "the algorithm '" + name + "' of RandomAccess ";
  if (!site.grid.empty() && one.grid == nullptr) {
    return Error{"usage", called + "takes no grid", "leave the grid out, or take the algorithm route"};
  }
  if (const std::string reason = one.hindrance(site); !reason.empty()) {
    return Error{"usage", called + "cannot run here: " + reason,
                 "leave the choice to groma, or take one of " + names()};
  }
  return &one;
}

Site site_of(const mpi::Communicator& world) {
  const mpi::Communicator node = world.split_by_node();
  const auto all = [&](bool here) {
    return world.reduce_to_all(std::int32_t{here}, mpi::Reduction::kMin) != 0;
  };
  const bool neighbours = world.rank() % node.size() == node.rank();
  const bool even = world.reduce_to_all(node.size(), mpi::Reduction::kMax) ==
                    world.reduce_to_all(node.size(), mpi::Reduction::kMin);
  const bool together = all(node.size() == world.size());
  return {.ranks = world.size(), .one_node = together, .per_node = all(neighbours && even) ? node.size() : 0};
}

std::string spelled(const std::vector<int>& grid) {
  std::string text;
  for (const int length : grid) text += (text.empty() ? "" : "x") + std::to_string(length);
  return text;
}

AlgorithmRegistration::AlgorithmRegistration(const Algorithm& algorithm) {
  algorithms().push_back(algorithm);
}

}  // namespace groma::hpcc::random_access
