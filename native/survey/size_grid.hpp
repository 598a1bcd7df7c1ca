// Sizes m * 2^e with m = 8 … 15: eight per octave, so that 48 KiB and 1.25 MiB are on the grid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace groma::survey {

/// Ascending sizes from `low` to `high` (both included where they are on the grid), multiples of 64 bytes.
/// `per_octave` is 8, 4, 2 or 1 points.
inline std::vector<Bytes> size_grid(Bytes low, Bytes high, std::uint64_t per_octave = 8) {
  const std::uint64_t step = 8 / std::clamp<std::uint64_t>(per_octave, 1, 8);
  std::vector<Bytes> sizes;
  for (std::uint64_t unit = 64; unit <= high.value() / 8; unit *= 2) {
    for (std::uint64_t m = 8; m < 16; m += step) {
      const Bytes size(m * unit);
      if (size >= low && size <= high) sizes.push_back(size);
    }
  }
  return sizes;
}

}  // namespace groma::survey
