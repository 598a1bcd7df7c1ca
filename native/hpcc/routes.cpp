#include "hpcc/routes.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace groma::hpcc {
namespace {

std::vector<int> shuffled_ranks(int ranks, RandomStream random) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  shuffle(std::span(order), random);
  return order;
}

std::vector<RankPair> all_pairs(int ranks) {
  std::vector<RankPair> pairs;
  for (int client = 0; client < ranks; ++client) {
    for (int server = 0; server < ranks; ++server) {
      if (client != server) pairs.push_back({client, server});
    }
  }
  return pairs;
}

/// Neighbours in a random order, each rank once; the last of an odd number of ranks pairs with the first.
std::vector<RankPair> random_matching(int ranks, RandomStream random) {
  const std::vector<int> order = shuffled_ranks(ranks, random);
  std::vector<RankPair> pairs;
  for (std::size_t at = 0; at < order.size(); at += 2) {
    pairs.push_back({order[at], order[(at + 1) % order.size()]});
  }
  return pairs;
}

RankPair random_pair(int ranks, RandomStream& random) {
  const int client = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
  const int step = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(ranks - 1)));
  return {client, (client + step) % ranks};
}

}  // namespace

std::vector<RankPair> choose_pairs(int ranks, std::size_t most, RandomStream random) {
  const auto count = static_cast<std::uint64_t>(ranks);
  if (count * (count - 1) <= most) {
    std::vector<RankPair> pairs = all_pairs(ranks);
    shuffle(std::span(pairs), random);
    return pairs;
  }
  std::vector<RankPair> pairs = random_matching(ranks, random.fork(0));
  pairs.resize(std::min(pairs.size(), most));
  std::set<RankPair> taken(pairs.begin(), pairs.end());
  while (pairs.size() < most) {
    const RankPair pair = random_pair(ranks, random);
    if (taken.insert(pair).second) pairs.push_back(pair);
  }
  return pairs;
}

std::vector<int> ring_order(int ranks, std::uint32_t ring, std::uint64_t seed) {
  if (ring > 0) return shuffled_ranks(ranks, RandomStream(seed).fork(ring));
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Neighbours neighbours_in(const std::vector<int>& order, int rank) {
  const auto size = order.size();
  const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), rank) - order.begin());
  return {order[(at + size - 1) % size], order[(at + 1) % size]};
}

}  // namespace groma::hpcc
