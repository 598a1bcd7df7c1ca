// Which pairs of cores or places to measure when all of them would be too many: as many as the budget
// allows, spread evenly over the classes of pairs that are expected to differ and over their members.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "base/topology.hpp"

namespace groma {

/// Two members of a list, by their index in it.
struct Pair {
  std::uint32_t first;
  std::uint32_t second;
  constexpr auto operator<=>(const Pair&) const = default;
};

/// Pairs with first < second.
std::vector<Pair> unordered_pairs(std::uint32_t members);

/// Pairs in both directions and each member with itself.
std::vector<Pair> ordered_pairs(std::uint32_t members);

/// At most `most` of the pairs, in a random order in which every stretch uses each member about equally
/// often: a concatenation of matchings, so that any prefix is a fair sample.
std::vector<Pair> evenly_mixed(std::vector<Pair> pairs, std::size_t most, RandomStream& random);

/// At most `most` distinct pairs, drawn from the classes in turn until they are used up; each class is mixed
/// evenly first. A pair may stand in several classes, such as one of all pairs that shows what the expected
/// classes do not.
std::vector<Pair> spread_over_classes(const std::vector<std::vector<Pair>>& classes, std::size_t most,
                                      RandomStream random);

/// Pairs of allowed cores, by their logical numbers: all of them for up to `all_up_to` cores, else at most
/// four per core (300 at least, 8192 at most), spread over the declared relations and at random over all.
std::vector<Pair> choose_core_pairs(const Topology& topology, std::size_t all_up_to,
                                    const RandomStream& random);

}  // namespace groma
