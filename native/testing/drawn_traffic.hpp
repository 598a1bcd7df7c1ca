// Random problems of mapping for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "map/target.hpp"
#include "map/traffic.hpp"

namespace groma::map {

/// Of some pairs in one direction, or of all; often with equal amounts, so that ranks are alike.
inline TrafficGraph drawn_traffic(std::size_t ranks, RandomStream& random) {
  const std::uint64_t some = 1 + random.below(4);
  const std::uint64_t most = random.below(2) == 0 ? 1 : 30;
  std::vector<Traffic> traffic;
  for (Rank source = 0; source < ranks; ++source) {
    for (Rank target = 0; target < ranks; ++target) {
      if (random.below(some) > 0) continue;
      traffic.push_back({source, target, static_cast<double>(1 + random.below(most))});
    }
  }
  return {ranks, traffic};
}

/// At least so many of the places of a machine, in their order.
inline std::vector<Place> drawn_places(std::size_t places, std::size_t least, RandomStream& random) {
  std::vector<Place> all(places);
  std::iota(all.begin(), all.end(), Place{0});
  shuffle(std::span<Place>(all), random);
  all.resize(least + random.below(places - least + 1));
  std::ranges::sort(all);
  return all;
}

}  // namespace groma::map
