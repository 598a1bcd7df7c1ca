#include "randomaccess/specialised/split.hpp"

#include <gtest/gtest.h>

namespace groma::randomaccess {
namespace {

TEST(Split, PutsEveryWordBetweenTheBoundsOfItsPart) {
  for (const std::uint64_t words : {1U, 2U, 3U, 7U, 64U, 100U, 1023U}) {
    for (std::uint64_t parts = 1; parts <= 9; ++parts) {
      const Split split(words, parts);
      for (std::uint64_t word = 0; word < words; ++word) {
        const std::uint64_t part = split(word);
        ASSERT_LT(part, parts);
        ASSERT_GE(word, split.first(part));
        ASSERT_LT(word, split.first(part) + split.size(part));
      }
    }
  }
}

TEST(Split, CoversAllWordsEvenly) {
  for (const std::uint64_t words : {std::uint64_t{12}, std::uint64_t{1000}, (std::uint64_t{1} << 40U) + 1}) {
    for (std::uint64_t parts = 1; parts <= 12; ++parts) {
      const Split split(words, parts);
      const std::uint64_t tolerance = words / 1'000'000;
      EXPECT_EQ(split.first(0), 0U);
      EXPECT_EQ(split.first(parts), words);
      for (std::uint64_t part = 0; part < parts; ++part) {
        EXPECT_GE(split.size(part) + 1 + tolerance, words / parts);
        EXPECT_LE(split.size(part), words / parts + 2 + tolerance);
      }
    }
  }
}

TEST(Split, HasNothingToDivideInAnEmptyTable) {
  const Split split(0, 3);
  EXPECT_EQ(split.size(0) + split.size(1) + split.size(2), 0U);
}

}  // namespace
}  // namespace groma::randomaccess
