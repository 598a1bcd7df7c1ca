#include "randomaccess/stream.hpp"

#include <gtest/gtest.h>

#include <array>

#include "base/random.hpp"

namespace groma::randomaccess {
namespace {

/// A linear map of 64 bits: the images of the unit vectors.
using BitMatrix = std::array<std::uint64_t, 64>;

std::uint64_t image(const BitMatrix& of, std::uint64_t x) {
  std::uint64_t sum = 0;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((x >> bit & 1U) != 0) sum ^= of.at(bit);
  }
  return sum;
}

BitMatrix square(const BitMatrix& of) {
  BitMatrix result{};
  for (unsigned bit = 0; bit < 64; ++bit) result.at(bit) = image(of, of.at(bit));
  return result;
}

/// Value after `steps` from 1 by powers of the matrix of one step: a way of its own to jump ahead.
std::uint64_t by_matrix(std::uint64_t steps) {
  BitMatrix power{};
  for (unsigned bit = 0; bit < 64; ++bit) power.at(bit) = std::uint64_t{1} << (bit + 1) % 64;
  power.at(63) = 7;
  std::uint64_t value = 1;
  for (; steps != 0; steps >>= 1U) {
    if ((steps & 1U) != 0) value = image(power, value);
    power = square(power);
  }
  return value;
}

template <class Sequence>
class Sequences : public ::testing::Test {};
using Both = testing::Types<Polynomial, Congruential>;
TYPED_TEST_SUITE(Sequences, Both);

TYPED_TEST(Sequences, JumpToWhereStepsLead) {
  std::uint64_t value = 1;
  for (std::int64_t steps = 0; steps < 1000; ++steps) {
    ASSERT_EQ(TypeParam::at(steps), value) << steps;
    value = TypeParam::next(value);
  }
}

TYPED_TEST(Sequences, JumpsAgreeWithStepsFromAnywhere) {
  RandomStream random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const auto start = static_cast<std::int64_t>(random.next() >> 3U);
    std::uint64_t value = TypeParam::at(start);
    for (int step = 0; step < 5; ++step) value = TypeParam::next(value);
    ASSERT_EQ(TypeParam::at(start + 5), value) << start;
  }
}

TYPED_TEST(Sequences, GoBackBeforeTheStart) {
  std::uint64_t value = TypeParam::at(-7);
  for (int step = 0; step < 7; ++step) value = TypeParam::next(value);
  EXPECT_EQ(value, 1U);
}

TYPED_TEST(Sequences, IndexEveryWordOfATable) {
  for (const std::uint64_t words : {1U, 2U, 64U}) {
    const typename TypeParam::Index index(words);
    std::uint64_t seen = 0;
    std::uint64_t value = TypeParam::at(std::int64_t{1} << 40);
    for (int step = 0; step < 2000; ++step) {
      value = TypeParam::next(value);
      ASSERT_LT(index(value), words);
      seen |= std::uint64_t{1} << index(value);
    }
    EXPECT_EQ(seen, words == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << words) - 1);
  }
}

TEST(PolynomialSequence, JumpsAsPowersOfTheMatrixOfOneStepDo) {
  RandomStream random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const std::uint64_t steps = random.below(Polynomial::kPeriod);
    ASSERT_EQ(Polynomial::at(static_cast<std::int64_t>(steps)), by_matrix(steps)) << steps;
  }
}

TEST(PolynomialSequence, BeginsAgainAfterItsPeriod) {
  constexpr auto kPeriod = static_cast<std::int64_t>(Polynomial::kPeriod);
  EXPECT_EQ(by_matrix(Polynomial::kPeriod), 1U);
  EXPECT_EQ(Polynomial::at(kPeriod), 1U);
  EXPECT_EQ(Polynomial::at(kPeriod + 12), 4096U);
}

TEST(PolynomialSequence, HasThePublishedValues) {
  // x^63 is the last power that fits; x^64 = x^2 + x + 1 by the constant POLY of the specification.
  EXPECT_EQ(Polynomial::at(63), 0x8000000000000000U);
  EXPECT_EQ(Polynomial::at(64), 7U);
  EXPECT_EQ(Polynomial::at(128), 21U);  // (x^2 + x + 1)^2 = x^4 + x^2 + 1
}

TEST(CongruentialSequence, HasThePublishedConstants) {
  EXPECT_EQ(Congruential::at(1), 6364136223846793006U);
  EXPECT_EQ(Congruential::Index(16)(0xf123456789abcdefU), 0xfU);
}

TEST(PartOf, CoversTheWholeWithoutGaps) {
  for (const std::uint64_t count : {0U, 1U, 7U, 1000U}) {
    std::uint64_t next = 5;
    for (std::uint64_t which = 0; which < 7; ++which) {
      const Section part = part_of({5, count}, which, 7);
      EXPECT_EQ(part.first, next);
      next += part.count;
    }
    EXPECT_EQ(next, 5 + count);
  }
}

}  // namespace
}  // namespace groma::randomaccess
