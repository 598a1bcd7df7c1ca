// Reading a block of integers as the Blacklight experiments do: every 16th integer, that is one of every
// 64-byte line, in sequence or jumping about; the integers are summed so that no read can be left out.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/units.hpp"

namespace groma::survey {

using Integers = std::span<const std::uint32_t>;

constexpr std::size_t kIntegersPerRead = 16;

/// Writes first, first + 1, first + 2, …; after 2^32 - 1 comes 0.
void write_sequence(std::span<std::uint32_t> block, std::uint32_t first);

/// What both readings of such a block must sum up to.
std::uint64_t expected_sum(std::size_t integers, std::uint32_t first);

/// Visits 0 … 2^bits - 1, each once, in an order without visible pattern that needs no table: reading a table
/// would itself access memory. Reference: an invertible mix of multiplications by odd numbers and xor-shifts,
/// as in the finalisers of hash functions.
class ScatteredOrder {
 public:
  ScatteredOrder(unsigned bits, std::uint64_t seed);
  [[nodiscard]] constexpr std::uint64_t at(std::uint64_t i) const {
    std::uint64_t x = (i + offset_) & mask_;
    for (const std::uint64_t factor : factors_) {
      x = (x * factor) & mask_;
      x ^= x >> shift_;
    }
    return x;
  }

 private:
  std::uint64_t mask_;
  unsigned shift_;
  std::uint64_t offset_;
  std::array<std::uint64_t, 3> factors_;
};

struct BlockRead {
  Seconds time;
  std::uint64_t sum;
};

/// Times are those of up to 64 pieces added up, with the interruptions taken out (see undisturbed_total). The
/// scattered reading needs a power of two of lines.
BlockRead read_in_sequence(Integers block);
BlockRead read_scattered(Integers block, std::uint64_t seed);

/// The sum of the times of equal pieces of work, in which no piece counts for more than eight times the
/// median one. A reading lasts longer than the few milliseconds between two interruptions, a piece does not:
/// the piece in which the thread had lost its core is seen and bounded, a slow memory slows all pieces.
Seconds undisturbed_total(std::span<const double> pieces);

}  // namespace groma::survey
