#include "base/pair_design.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/topology_queries.hpp"

namespace groma {
namespace {

constexpr std::size_t kPairsPerCore = 4;
constexpr std::size_t kMinSampledPairs = 300;
constexpr std::size_t kMaxSampledPairs = 8192;

/// Hands out a class's pairs one after the other.
class Queue {
 public:
  explicit Queue(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}

  /// The next pair that is not in `taken`.
  std::optional<Pair> next(const std::set<Pair>& taken) {
    while (at_ < pairs_.size() && taken.contains(pairs_[at_])) ++at_;
    if (at_ == pairs_.size()) return std::nullopt;
    return pairs_[at_++];
  }

 private:
  std::vector<Pair> pairs_;
  std::size_t at_ = 0;
};

std::uint32_t members_of(const std::vector<Pair>& pairs) {
  std::uint32_t members = 0;
  for (const Pair& pair : pairs) members = std::max({members, pair.first + 1, pair.second + 1});
  return members;
}

/// Moves a maximal matching from `pairs` to the end of `mixed`.
void take_matching(std::vector<Pair>& pairs, std::vector<Pair>& mixed) {
  std::vector<bool> used(members_of(pairs), false);
  const auto is_matched = [&](const Pair& pair) {
    if (used[pair.first] || used[pair.second]) return false;
    used[pair.first] = used[pair.second] = true;
    mixed.push_back(pair);
    return true;
  };
  std::erase_if(pairs, is_matched);
}

}  // namespace

std::vector<Pair> unordered_pairs(std::uint32_t members) {
  std::vector<Pair> pairs;
  for (std::uint32_t first = 0; first < members; ++first) {
    for (std::uint32_t second = first + 1; second < members; ++second) pairs.push_back({first, second});
  }
  return pairs;
}

std::vector<Pair> ordered_pairs(std::uint32_t members) {
  std::vector<Pair> pairs;
  for (std::uint32_t first = 0; first < members; ++first) {
    for (std::uint32_t second = 0; second < members; ++second) pairs.push_back({first, second});
  }
  return pairs;
}

std::vector<Pair> evenly_mixed(std::vector<Pair> pairs, std::size_t most, RandomStream& random) {
  shuffle(std::span(pairs), random);
  std::vector<Pair> mixed;
  while (!pairs.empty() && mixed.size() < most) take_matching(pairs, mixed);
  if (mixed.size() > most) mixed.resize(most);
  return mixed;
}

std::vector<Pair> spread_over_classes(const std::vector<std::vector<Pair>>& classes, std::size_t most,
                                      RandomStream random) {
  std::vector<Queue> queues;
  for (const auto& pairs : classes) queues.emplace_back(evenly_mixed(pairs, most, random));
  std::set<Pair> taken;
  std::vector<Pair> chosen;
  while (!queues.empty() && chosen.size() < most) {
    std::erase_if(queues, [&](Queue& queue) {
      const std::optional<Pair> pair = chosen.size() < most ? queue.next(taken) : std::nullopt;
      if (!pair) return true;
      taken.insert(*pair);
      chosen.push_back(*pair);
      return false;
    });
  }
  return chosen;
}

std::vector<Pair> choose_core_pairs(const Topology& topology, std::size_t all_up_to,
                                    const RandomStream& random) {
  const std::size_t cores = topology.allowed.size();
  const std::size_t most = cores <= all_up_to
                               ? cores * cores
                               : std::clamp(kPairsPerCore * cores, kMinSampledPairs, kMaxSampledPairs);
  std::vector<std::vector<Pair>> classes(1);
  for (const RelationClass& related :
       relation_classes(topology, topology.allowed, 4 * most, random.fork(1))) {
    std::vector<Pair> pairs;
    for (const CorePair& pair : related.pairs) pairs.push_back({pair.first.number(), pair.second.number()});
    classes.front().insert(classes.front().end(), pairs.begin(), pairs.end());
    classes.push_back(std::move(pairs));
  }
  return spread_over_classes(classes, most, random.fork(2));
}

}  // namespace groma
