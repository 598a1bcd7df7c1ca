#include "randomaccess/partition.hpp"

#include <gtest/gtest.h>

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

/// Theorem 4.1: where parts are longer than their number, the prediction is the owner or one too high.
TEST(OwnerByPrediction, IsTheOwnerOrOneTooHighBeforeItsCorrection) {
  RandomStream random(4);
  for (int trial = 0; trial < 20000; ++trial) {
    const unsigned bits = 8 + static_cast<unsigned>(random.below(32));
    const std::uint64_t words = std::uint64_t{1} << bits;
    const std::uint64_t most = std::uint64_t{1} << (bits / 2);  // n < mlts from there down
    const std::uint64_t parts = 1 + random.below(std::min<std::uint64_t>(most, 1U << 20U) - 1);
    ASSERT_LT(parts, words / parts);
    const std::uint64_t index = random.below(words);
    const std::uint64_t owner = by_division(words, parts, index);
    const std::uint64_t predicted = (index * parts) >> bits;
    ASSERT_TRUE(predicted == owner || predicted == owner + 1) << words << " " << parts << " " << index;
  }
}

TEST(OwnerByPrediction, AgreesWithDivisionWhereTheTheoremHolds) {
  RandomStream random(5);
  for (int trial = 0; trial < 3000; ++trial) {
    const std::uint64_t words = std::uint64_t{1} << (6 + random.below(34));
    const Partition partition(words, 1 + random.below(3000));
    if (!partition.is_predictable()) continue;
    const OwnerByPrediction predicted(partition);
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
  const OwnerByPrediction predicted(partition);
  int wrong = 0;
  for (std::uint64_t index = 0; index < partition.words(); ++index) {
    const std::uint64_t owner = by_division(partition.words(), partition.parts(), index);
    wrong += static_cast<int>(predicted(index) != owner);
    ASSERT_EQ(OwnerBySearch(partition)(index), owner);
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
