#include "randomaccess/definition.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.hpp"
#include "testing/serial_updates.hpp"

namespace groma::randomaccess {
namespace {

constexpr Generator kBoth[] = {Generator::kPolynomial, Generator::kCongruential};

std::vector<std::uint64_t> defined(Generator generator, Section section) {
  std::vector<std::uint64_t> values(section.count);
  DefinedStream(generator, section.first).fill(values);
  return values;
}

/// HPCC_starts and HPCC_starts_LCG of HPC Challenge 1.5.0 give these for 1, 2, 3 and 64 steps from 1.
TEST(DefinedStream, HasTheValuesOfHpcChallenge) {
  EXPECT_EQ(defined(Generator::kPolynomial, {0, 3}), (std::vector<std::uint64_t>{2, 4, 8}));
  EXPECT_EQ(defined(Generator::kPolynomial, {63, 2}), (std::vector<std::uint64_t>{7, 14}));
  EXPECT_EQ(
      defined(Generator::kCongruential, {0, 2}),
      (std::vector<std::uint64_t>{6364136223846793006U, 6364136223846793006U * 6364136223846793005U + 1}));
}

TEST(DefinedStream, StartsAnywhereWhereTheSequencesOfTheKernelsDo) {
  RandomStream random(8);
  for (const Generator generator : kBoth) {
    for (int trial = 0; trial < 200; ++trial) {
      const std::uint64_t first = random.below(std::uint64_t{1} << (1 + random.below(62)));
      const std::uint64_t value = defined(generator, {first, 1}).front();
      with_sequence(generator, [&]<class Sequence>() {
        EXPECT_EQ(value, Sequence::at(static_cast<std::int64_t>(first + 1))) << first;
      });
    }
  }
}

TEST(DefinedUpdates, GiveTheTableOfTheSequencesOfTheKernels) {
  for (const Generator generator : kBoth) {
    for (const std::uint64_t words : {1U, 2U, 256U, 4096U}) {
      std::vector<std::uint64_t> table(words);
      std::iota(table.begin(), table.end(), 0U);
      std::vector<std::uint64_t> expected = table;
      apply_as_defined(table, generator, {77, 5000});
      update_serially(expected, generator, {77, 5000});
      EXPECT_EQ(table, expected) << words;
    }
  }
}

TEST(DefinedUpdates, LeaveOutWordsOfOthers) {
  std::vector<std::uint64_t> words(64, 0);
  DefinedUpdates(std::span(words).subspan(16, 16), 16, 64, Generator::kPolynomial)
      .apply(std::vector<std::uint64_t>{15, 16, 31 + 64, 32});
  EXPECT_EQ(words[16], 16U);
  EXPECT_EQ(words[31], 95U);
  EXPECT_EQ(std::accumulate(words.begin(), words.end(), std::uint64_t{0}), 16U + 95U);
}

TEST(DefinedLayout, HasEveryWordBetweenTheFirstOnesOfItsOwnerAndTheNext) {
  for (const std::uint64_t words : {1U, 16U, 256U}) {
    for (std::uint64_t parts = 1; parts <= 20; ++parts) {
      const DefinedLayout layout{words, parts};
      EXPECT_EQ(layout.first(parts), words);
      for (std::uint64_t index = 0; index < words; ++index) {
        const std::uint64_t owner = layout.owner(index);
        ASSERT_TRUE(layout.first(owner) <= index && index < layout.first(owner + 1)) << words << ' ' << parts;
      }
    }
  }
}

}  // namespace
}  // namespace groma::randomaccess
