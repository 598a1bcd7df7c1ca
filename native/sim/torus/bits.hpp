// Sets of queues, ports and other small numbers as bits of a word.
#pragma once

#include <bit>
#include <cstdint>

namespace groma::sim::torus {

constexpr std::uint64_t bit(std::uint32_t index) {
  return std::uint64_t{1} << index;
}

/// Calls `use` for the number of each bit that is set.
template <class Use>
void for_each_bit(std::uint64_t bits, Use use) {
  for (; bits != 0; bits &= bits - 1) use(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

/// A bit for each byte that is not 0.
constexpr std::uint64_t nonzero_bytes(std::uint64_t eight) {
  constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7F;
  const std::uint64_t high = (((eight & kLow) + kLow) | eight) & ~kLow;
  return (high >> 7U) * 0x0102040810204080 >> 56U;  // side by side
}

}  // namespace groma::sim::torus
