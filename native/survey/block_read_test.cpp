#include "survey/block_read.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace groma::survey {
namespace {

std::vector<std::uint32_t> sequence(std::size_t integers, std::uint32_t first) {
  std::vector<std::uint32_t> block(integers);
  write_sequence(block, first);
  return block;
}

TEST(BlockRead, WritesTheSequence) {
  EXPECT_EQ(sequence(4, 7), (std::vector<std::uint32_t>{7, 8, 9, 10}));
}

TEST(BlockRead, SumIsThatOfEverySixteenthInteger) {
  for (const std::size_t lines : {64U, 100U, 1024U, 4096U}) {
    const auto block = sequence(lines * 16, 5);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < block.size(); i += 16) sum += block[i];
    EXPECT_EQ(expected_sum(block.size(), 5), sum);
    EXPECT_EQ(read_in_sequence(block).sum, sum);
  }
}

TEST(BlockRead, ReadsNothingBetweenTheSixteenthIntegers) {
  auto block = sequence(1024 * 16, 0);
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i % 16 != 0) block[i] = 0xffffffffU;
  }
  EXPECT_EQ(read_in_sequence(block).sum, expected_sum(block.size(), 0));
  EXPECT_EQ(read_scattered(block, 1).sum, expected_sum(block.size(), 0));
}

TEST(BlockRead, ScatteredReadingSumsTheSameIntegers) {
  const auto block = sequence(4096 * 16, 3);
  for (const std::uint64_t seed : {1U, 2U, 99U}) {
    EXPECT_EQ(read_scattered(block, seed).sum, expected_sum(block.size(), 3));
  }
}

TEST(BlockRead, TimesAreFiniteAndPositive) {
  const auto block = sequence(4096 * 16, 3);
  EXPECT_GT(read_in_sequence(block).time.value(), 0.0);
  EXPECT_GT(read_scattered(block, 1).time.value(), 0.0);
}

TEST(ScatteredOrder, VisitsEveryNumberOnce) {
  for (const unsigned bits : {0U, 1U, 2U, 5U, 12U}) {
    const ScatteredOrder order(bits, 42);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < (std::uint64_t{1} << bits); ++i) seen.insert(order.at(i));
    EXPECT_EQ(seen.size(), std::size_t{1} << bits);
    EXPECT_LT(*seen.rbegin(), std::uint64_t{1} << bits);
  }
}

TEST(ScatteredOrder, HasNoConstantStride) {
  constexpr unsigned kBits = 16;
  const ScatteredOrder order(kBits, 7);
  std::set<std::uint64_t> strides;
  for (std::uint64_t i = 0; i < 1000; ++i) strides.insert((order.at(i + 1) - order.at(i)) & 0xffffU);
  EXPECT_GT(strides.size(), 700U);
}

TEST(UndisturbedTotal, BoundsAPieceInWhichTheCoreWasLost) {
  std::vector<double> pieces(64, 1e-4);
  EXPECT_NEAR(undisturbed_total(pieces).value(), 64e-4, 1e-12);
  pieces[10] = 5e-3;
  EXPECT_NEAR(undisturbed_total(pieces).value(), 63e-4 + 8e-4, 1e-12);
}

TEST(UndisturbedTotal, KeepsWhatSlowsAllPiecesOrHalfOfThem) {
  std::vector<double> pieces(64, 5e-4);
  EXPECT_NEAR(undisturbed_total(pieces).value(), 64 * 5e-4, 1e-12);
  for (std::size_t i = 0; i < 30; ++i) pieces[i] = 1e-4;
  EXPECT_NEAR(undisturbed_total(pieces).value(), 30 * 1e-4 + 34 * 5e-4, 1e-12);
}

TEST(BlockRead, SumIsRightWhereTheIntegersBeginAgainAtZero) {
  for (const std::uint32_t first : {0xffffffffU, 0xfffffff0U, 0xfffffff1U, 0xffff0000U, 0xffffc000U}) {
    const auto block = sequence(1024 * 16, first);
    EXPECT_EQ(read_in_sequence(block).sum, expected_sum(block.size(), first)) << first;
  }
}

}  // namespace
}  // namespace groma::survey
