// Live memory from which each sample takes another window: rotating through physical pages is what makes the
// knees of physically indexed caches stable (unmapping and mapping again returns the same pages).
#pragma once

#include <algorithm>
#include <utility>

#include "base/pages.hpp"
#include "base/random.hpp"
#include "base/units.hpp"

namespace groma::survey {

class Arena {
 public:
  /// Touches the whole block from the calling thread.
  Arena(Block block, RandomStream random) : block_(std::move(block)), random_(random) { block_.touch(); }

  /// A window of `size` bytes (at most the arena's) at a random page; inside one huge page where it fits,
  /// because only there are its physical addresses contiguous.
  std::byte* window(Bytes size) {
    constexpr Bytes kHuge = 2_MiB;
    const Bytes slot = size <= kHuge ? std::min(kHuge, Bytes(block_.size())) : size;
    const std::size_t slots = (block_.size() - slot.value()) / kHuge.value() + 1;
    const std::size_t pages_inside = (slot.value() - size.value()) / 4096 + 1;
    const std::size_t offset = random_.below(slots) * kHuge.value() + random_.below(pages_inside) * 4096;
    return block_.data() + offset;
  }

 private:
  Block block_;
  RandomStream random_;
};

}  // namespace groma::survey
