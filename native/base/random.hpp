// Reproducible random streams: every order that a probe chooses follows from its recorded seed.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace groma {

/// SplitMix64 (Steele, Lea, Flood 2014): one 64-bit state, passes BigCrush, cheap to seed.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  /// Passes over `count` values at once: the state is a counter.
  constexpr void skip(std::uint64_t count) { state_ += count * 0x9e3779b97f4a7c15U; }

  /// Uniform in [0, bound) by multiplication (Lemire 2019, without the correction: its bias is below
  /// bound / 2^64). Returns 0 for bound 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }

  /// A stream that is independent of this one and of those forked with other keys.
  [[nodiscard]] constexpr RandomStream fork(std::uint64_t key) const {
    RandomStream mixed(state_ ^ (key * 0xd1342543de82ef95U));
    return RandomStream(mixed.next());
  }

 private:
  std::uint64_t state_;
};

/// Fisher-Yates.
template <class T>
void shuffle(std::span<T> items, RandomStream& random) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random.below(left)]);
  }
}

}  // namespace groma
