#include "randomaccess/stream.hpp"

namespace groma::randomaccess {
namespace {

/// Product of two polynomials, reduced after every step.
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (; b != 0; b >>= 1U) {
    if ((b & 1U) != 0) sum ^= a;
    a = Polynomial::next(a);
  }
  return sum;
}

/// x -> multiplier x + increment.
struct Affine {
  std::uint64_t multiplier;
  std::uint64_t increment;
  [[nodiscard]] constexpr Affine after(const Affine& first) const {
    return {multiplier * first.multiplier, multiplier * first.increment + increment};
  }
};

}  // namespace

std::uint64_t Polynomial::at(std::int64_t steps) {
  constexpr auto kSigned = static_cast<std::int64_t>(kPeriod);
  const std::int64_t reduced = steps % kSigned;
  auto left = static_cast<std::uint64_t>(reduced < 0 ? reduced + kSigned : reduced);
  std::uint64_t power = 1;
  for (std::uint64_t square = 2; left != 0; left >>= 1U) {
    if ((left & 1U) != 0) power = product(power, square);
    square = product(square, square);
  }
  return power;
}

std::uint64_t Congruential::at(std::int64_t steps) {
  // The period is 2^64, so that going back is going on by the two's complement.
  Affine jump{1, 0};
  Affine square{kMultiplier, kIncrement};
  for (auto left = static_cast<std::uint64_t>(steps); left != 0; left >>= 1U) {
    if ((left & 1U) != 0) jump = square.after(jump);
    square = square.after(square);
  }
  return jump.multiplier + jump.increment;
}

}  // namespace groma::randomaccess
