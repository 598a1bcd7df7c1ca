// The two pseudo-random sequences of RandomAccess: value k of a run updates word index(value) by xor with the
// value. Update k uses the value after k + 1 steps from 1 (HPC Challenge 1.5.0; docs/hpcc/random_access.md).
#pragma once

#include <bit>
#include <cstdint>

namespace groma::randomaccess {

__extension__ using Wide = unsigned __int128;  ///< holds products of two 64-bit numbers

enum class Generator { kPolynomial, kCongruential };

/// Updates `first` to `first + count` of a sequence.
struct Section {
  std::uint64_t first;
  std::uint64_t count;
};

/// Part `which` of `parts` about equal ones.
constexpr Section part_of(Section whole, std::uint64_t which, std::uint64_t parts) {
  const auto edge = [&](std::uint64_t at) {
    return static_cast<std::uint64_t>(Wide{whole.count} * at / parts);
  };
  return {whole.first + edge(which), edge(which + 1) - edge(which)};
}

/// Powers of x modulo x^64 + x^2 + x + 1 over GF(2). Low bits are the index.
struct Polynomial {
  static constexpr std::uint64_t kPeriod = 1317624576693539401U;
  static constexpr std::uint64_t kReduced = 7;  ///< what x^64 is

  static constexpr std::uint64_t next(std::uint64_t x) {
    return (x << 1U) ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> 63U) & kReduced);
  }

  /// The value after `steps` from 1; negative ones go back.
  static std::uint64_t at(std::int64_t steps);

  class Index {
   public:
    /// For a table of `words`, a power of two.
    constexpr explicit Index(std::uint64_t words) : mask_(words - 1) {}
    constexpr std::uint64_t operator()(std::uint64_t value) const { return value & mask_; }

   private:
    std::uint64_t mask_;
  };
};

/// x -> a x + 1 modulo 2^64. High bits are the index, because the low ones have short periods.
struct Congruential {
  static constexpr std::uint64_t kMultiplier = 6364136223846793005U;
  static constexpr std::uint64_t kIncrement = 1;

  static constexpr std::uint64_t next(std::uint64_t x) { return kMultiplier * x + kIncrement; }

  static std::uint64_t at(std::int64_t steps);

  class Index {
   public:
    constexpr explicit Index(std::uint64_t words)
        : shift_(63U - static_cast<unsigned>(std::bit_width(words) - 1)) {}
    // In two steps, because a table of one word would shift by 64.
    constexpr std::uint64_t operator()(std::uint64_t value) const { return (value >> 1U) >> shift_; }

   private:
    unsigned shift_;
  };
};

/// Calls `use` with the sequence as its template argument.
template <class Use>
decltype(auto) with_sequence(Generator generator, const Use& use) {
  return generator == Generator::kPolynomial ? use.template operator()<Polynomial>()
                                             : use.template operator()<Congruential>();
}

}  // namespace groma::randomaccess
