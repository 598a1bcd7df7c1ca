#include "hpcc/random_access/algorithm.hpp"

#include <algorithm>
#include <deque>

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

const Algorithm* best_for(const Site& site) {
  const Algorithm* best = nullptr;
  for (const Algorithm* one : registered_algorithms()) {
    const bool better = best == nullptr || one->merit(site) > best->merit(site);
    if (one->can_run(site) && better) best = one;
  }
  return best;
}

}  // namespace

std::vector<const Algorithm*> registered_algorithms() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& one : algorithms()) all.push_back(&one);
  std::ranges::sort(all, {}, &Algorithm::number);
  return all;
}

Result<const Algorithm*> choose_algorithm(const std::string& name, const Site& site) {
  if (name.empty()) {
    if (const Algorithm* best = best_for(site)) return best;
    return Error{"usage", "no algorithm of RandomAccess can run on these ranks",
                 "place all ranks on one node"};
  }
  for (const Algorithm* one : registered_algorithms()) {
    if (one->name != name) continue;
    if (one->can_run(site)) return one;
    return Error{
        "usage",
        "the algorithm '" + name + "' of RandomAccess cannot run on these ranks: " + std::string(one->what),
        "leave the choice to groma, or take one of " + names()};
  }
  return Error{"usage", "no algorithm of RandomAccess is called '" + name + "'", "there are " + names()};
}

Site site_of(const mpi::Communicator& world) {
  const bool together = world.split_by_node().size() == world.size();
  return {world.size(), world.reduce_to_all(std::int32_t{together}, mpi::Reduction::kMin) != 0};
}

AlgorithmRegistration::AlgorithmRegistration(const Algorithm& algorithm) {
  algorithms().push_back(algorithm);
}

}  // namespace groma::hpcc::random_access
