#include "randomaccess/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/random.hpp"

namespace groma::randomaccess {
namespace {

/// The owner by the divisions of the definition.
std::uint64_t by_division(std::uint64_t words, std::uint64_t parts, std::uint64_t index) {
  const std::uint64_t size = words / parts;
  const std::uint64_t longer = words % parts;
  return index < longer * (size + 1) ? index / (size + 1) : (index - longer) / size;
}

TEST(Partition, FindsTheOwnerOfEveryWordOfSmallTables) {
  for (const std::uint64_t words : {16U, 64U, 256U}) {
    for (std::uint64_t parts = 1; parts <= 16; ++parts) {
      const Partition partition(words, parts);
      for (std::uint64_t index = 0; index < words; ++index) {
        ASSERT_EQ(partition.owner(index), by_division(words, parts, index)) << words << " " << parts;
      }
    }
  }
}

TEST(Partition, FindsOwnersInLargeTables) {
  RandomStream random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::uint64_t words = std::uint64_t{1} << (20 + random.below(20));
    const std::uint64_t parts = 1 + random.below(1000);
    const Partition partition(words, parts);
    const std::uint64_t index = random.below(words);
    ASSERT_EQ(partition.owner(index), by_division(words, parts, index)) << words << " " << parts;
  }
}

TEST(Partition, FindsOwnersFarFromThePrediction) {
  constexpr std::uint64_t kWords = std::uint64_t{1} << 20U;
  RandomStream random(6);
  for (const std::uint64_t parts : {500'000U, 1'048'575U, 1'048'577U, 3'000'000U}) {
    const Partition partition(kWords, parts);
    std::uint64_t furthest = 0;
    for (int trial = 0; trial < 10000; ++trial) {
      const std::uint64_t index = random.below(kWords);
      const std::uint64_t owner = by_division(kWords, parts, index);
      ASSERT_EQ(partition.owner(index), owner) << parts << ' ' << index;
      const auto predicted = predicted_part<Wide>(index, parts, 20);
      furthest = std::max(furthest, std::max(predicted, owner) - std::min(predicted, owner));
    }
    // With about as many parts as words, each word is its own part, as predicted.
    const bool far = parts < kWords / 2 || parts > kWords * 2;
    EXPECT_TRUE(!far || furthest > 1000U) << parts << ' ' << furthest;
  }
}

/// A number of parts for which theorem 4.1 holds, and a word; up to 2^60 words.
struct Lookup {
  explicit Lookup(RandomStream& random)
      : bits(4 + static_cast<unsigned>(random.below(57))),
        words(std::uint64_t{1} << bits),
        parts(1 + random.below((std::uint64_t{1} << (bits / 2)) - 1)) {
    // The first and last words of parts are where a correction is needed.
    const std::uint64_t part = random.below(parts);
    const std::uint64_t first = part * (words / parts) + std::min(part, words % parts);
    const std::array<std::uint64_t, 4> indices = {random.below(words), words - 1, first,
                                                  first - std::min<std::uint64_t>(first, 1)};
    index = indices[random.below(indices.size())];
  }

  unsigned bits;
  std::uint64_t words;
  std::uint64_t parts;
  std::uint64_t index;
};

std::ostream& operator<<(std::ostream& out, const Lookup& lookup) {
  return out << "word " << lookup.index << " of 2^" << lookup.bits << " in " << lookup.parts << " parts";
}

/// Theorem 4.1: where parts are longer than their number, the prediction is the owner or one too high.
TEST(PredictedPart, IsTheOwnerOrOneTooHighInTablesOfUpTo2To60Words) {
  RandomStream random(4);
  for (int trial = 0; trial < 100000; ++trial) {
    const Lookup lookup(random);
    ASSERT_LT(lookup.parts, lookup.words / lookup.parts);
    const std::uint64_t owner = by_division(lookup.words, lookup.parts, lookup.index);
    const auto predicted = predicted_part<Wide>(lookup.index, lookup.parts, lookup.bits);
    ASSERT_TRUE(predicted == owner || predicted == owner + 1) << lookup;
  }
}

TEST(PredictedPart, IsTheSameIn64BitsWhereTheyHoldTheProduct) {
  RandomStream random(7);
  int wide = 0;
  for (int trial = 0; trial < 100000; ++trial) {
    const Lookup lookup(random);
    wide += static_cast<int>(!is_narrow(lookup.parts, lookup.bits));
    if (!is_narrow(lookup.parts, lookup.bits)) continue;
    ASSERT_EQ(predicted_part<std::uint64_t>(lookup.index, lookup.parts, lookup.bits),
              predicted_part<Wide>(lookup.index, lookup.parts, lookup.bits))
        << lookup;
  }
  EXPECT_GT(wide, 0);
}

/// The example of section 4.4 of the paper: 256M words on each of 32M ranks, 2^78 as a product.
TEST(PredictedPart, HoldsForTheExampleOfThePaper) {
  constexpr unsigned kBits = 28 + 25;
  constexpr std::uint64_t kWords = std::uint64_t{1} << kBits;
  RandomStream random(9);
  for (const std::uint64_t parts : {(1U << 25U) - 1U, 1U << 25U, (1U << 25U) + 1U}) {
    EXPECT_FALSE(is_narrow(parts, kBits));
    for (int trial = 0; trial < 10000; ++trial) {
      const std::uint64_t index = random.below(kWords);
      const std::uint64_t owner = by_division(kWords, parts, index);
      const std::uint64_t predicted = predicted_part<Wide>(index, parts, kBits);
      ASSERT_TRUE(predicted == owner || predicted == owner + 1) << parts << ' ' << index;
    }
  }
}

TEST(Partition, FindsOwnersWhereWordsTimesPartsExceed64Bits) {
  RandomStream random(10);
  constexpr std::uint64_t kParts = 1'000'003;
  for (const unsigned bits : {43U, 44U, 45U, 52U, 60U}) {
    const std::uint64_t words = std::uint64_t{1} << bits;
    const Partition partition(words, kParts);
    with_owner(partition, OwnerRule::kFastest, [&](auto owner) {
      for (int trial = 0; trial < 10000; ++trial) {
        const std::uint64_t index = random.below(words);
        ASSERT_EQ(owner(index), by_division(words, kParts, index)) << bits << ' ' << index;
        ASSERT_EQ(partition.owner(index), owner(index)) << bits << ' ' << index;
      }
    });
  }
}

TEST(OwnerByPrediction, AgreesWithDivisionWhereTheTheoremHolds) {
  RandomStream random(5);
  for (int trial = 0; trial < 3000; ++trial) {
    const std::uint64_t words = std::uint64_t{1} << (6 + random.below(34));
    const Partition partition(words, 1 + random.below(3000));
    if (!partition.is_predictable()) continue;
    const OwnerByPrediction<std::uint64_t> predicted(partition);
    // The first and last words of parts are where a correction is needed.
    const std::uint64_t part = random.below(partition.parts());
    for (const std::uint64_t index :
         {random.below(words), partition.first(part), partition.first(part + 1) - 1}) {
      ASSERT_EQ(predicted(index), by_division(words, partition.parts(), index)) << words << " " << index;
    }
  }
}

/// The theorem's condition is not idle: with more parts than words in each, one correction is not enough.
TEST(OwnerByPrediction, FailsWherePartsOutnumberTheirWords) {
  const Partition partition(1U << 12U, 1500);
  ASSERT_FALSE(partition.is_predictable());
  const OwnerByPrediction<std::uint64_t> predicted(partition);
  int wrong = 0;
  for (std::uint64_t index = 0; index < partition.words(); ++index) {
    const std::uint64_t owner = by_division(partition.words(), partition.parts(), index);
    wrong += static_cast<int>(predicted(index) != owner);
    ASSERT_EQ(OwnerBySearch<std::uint64_t>(partition)(index), owner);
  }
  EXPECT_GT(wrong, 0);
}

TEST(OwnerByDivision, AgreesWithTheDefinitionInBothWidths) {
  RandomStream random(6);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::uint64_t words = std::uint64_t{1} << random.below(32);
    const Partition partition(words, 1 + random.below(5000));
    const std::uint64_t index = random.below(words);
    const std::uint64_t owner = partition.owner(index);
    ASSERT_EQ(OwnerByDivision<std::uint64_t>(partition)(index), owner) << words << " " << partition.parts();
    ASSERT_EQ(OwnerByDivision<std::uint32_t>(partition)(index), owner) << words << " " << partition.parts();
  }
}

TEST(WithOwner, TakesWhatIsRightForThePartition) {
  const auto tells_all = [](const Partition& partition, OwnerRule rule) {
    return with_owner(partition, rule, [&](auto owner) {
      for (std::uint64_t index = 0; index < partition.words(); ++index) {
        if (owner(index) != partition.owner(index)) return false;
      }
      return true;
    });
  };
  for (const std::uint64_t parts : {1U, 3U, 4U, 6U, 64U, 100U, 3000U}) {
    const Partition even(1024, parts);
    EXPECT_TRUE(tells_all(even, OwnerRule::kFastest)) << parts;
    EXPECT_TRUE(tells_all(even, OwnerRule::kDivision)) << parts;
  }
  EXPECT_TRUE(tells_all(Partition(1024, 6).grouped(2), OwnerRule::kDivision));
}

/// Wider arithmetic than a partition needs would only cost time; narrower gives wrong owners.
TEST(WithOwner, MultipliesIn128BitsOnlyWhere64DoNotHoldTheProduct) {
  const auto way_to_find = [](unsigned bits, std::uint64_t parts) {
    return with_owner(Partition(std::uint64_t{1} << bits, parts), OwnerRule::kFastest, [](auto owner) {
      using Owner = decltype(owner);
      if (std::is_same_v<Owner, OwnerByPrediction<std::uint64_t>>) return "predicted in 64 bits";
      if (std::is_same_v<Owner, OwnerByPrediction<Wide>>) return "predicted in 128 bits";
      return std::is_same_v<Owner, OwnerByShift> ? "shifted" : "searched";
    });
  };
  EXPECT_STREQ(way_to_find(44, 1'000'003), "predicted in 64 bits");   // 2^44 words, parts below 2^20
  EXPECT_STREQ(way_to_find(45, 1'000'003), "predicted in 128 bits");  // 64-bit products were wrong here
  EXPECT_STREQ(way_to_find(60, 15), "predicted in 64 bits");
  EXPECT_STREQ(way_to_find(60, 17), "predicted in 128 bits");
  EXPECT_STREQ(way_to_find(60, 16), "shifted");
  EXPECT_STREQ(way_to_find(4, 6), "searched");
}

TEST(Partition, LeavesPartsEmptyWhereThereAreMoreThanWords) {
  const Partition partition(4, 7);
  EXPECT_EQ(partition.size(3), 1U);
  EXPECT_EQ(partition.size(4), 0U);
  for (std::uint64_t index = 0; index < 4; ++index) EXPECT_EQ(partition.owner(index), index);
}

TEST(Partition, ShiftsWherePartsAreAPowerOfTwo) {
  const Partition partition(1024, 8);
  ASSERT_TRUE(partition.is_shift());
  EXPECT_FALSE(Partition(1024, 6).is_shift());
  const OwnerByShift shifted(partition);
  for (std::uint64_t index = 0; index < 1024; ++index) ASSERT_EQ(shifted(index), partition.owner(index));
}

TEST(Partition, ShiftsNoGroupsOfDifferentSizes) {
  // Of 6 parts the first 4 are one word longer, so that the first group of 3 has 33 words.
  const Partition groups = Partition(64, 6).grouped(3);
  EXPECT_EQ(groups.size(0), 33U);
  EXPECT_FALSE(groups.is_shift());
  EXPECT_TRUE(Partition(64, 4).grouped(2).is_shift());
}

TEST(Partition, GroupsNeighbours) {
  const Partition workers(1024, 6);
  const Partition ranks = workers.grouped(2);
  ASSERT_EQ(ranks.parts(), 3U);
  for (std::uint64_t index = 0; index < 1024; ++index) {
    ASSERT_EQ(ranks.owner(index), workers.owner(index) / 2);
  }
}

}  // namespace
}  // namespace groma::randomaccess
