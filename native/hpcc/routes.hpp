// Pairs of ranks and rings through all ranks, reproducible from the seed of the run.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace groma::hpcc {

/// The client sends first and takes the time.
struct RankPair {
  int client;
  int server;
  auto operator<=>(const RankPair&) const = default;
};

/// Every ordered pair where these are at most `most`, else `most` distinct ones drawn at random: the first
/// of them visit as many ranks as they can, so that any beginning of the list covers twice its length.
/// Time and memory follow `most` and the ranks, not their square.
std::vector<RankPair> choose_pairs(int ranks, std::size_t most, RandomStream random);

/// The ranks in the order of ring number `ring`: 0 is the natural one, the others are uniformly random
/// permutations that follow from seed and number alone.
std::vector<int> ring_order(int ranks, std::uint32_t ring, std::uint64_t seed);

struct Neighbours {
  int left;
  int right;
  bool operator==(const Neighbours&) const = default;
};
Neighbours neighbours_in(const std::vector<int>& order, int rank);

}  // namespace groma::hpcc
