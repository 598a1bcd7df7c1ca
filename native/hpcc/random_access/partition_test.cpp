#include "hpcc/random_access/partition.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace groma::hpcc::random_access {
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

TEST(Partition, GroupsNeighbours) {
  const Partition workers(1024, 6);
  const Partition ranks = workers.grouped(2);
  ASSERT_EQ(ranks.parts(), 3U);
  for (std::uint64_t index = 0; index < 1024; ++index) {
    ASSERT_EQ(ranks.owner(index), workers.owner(index) / 2);
  }
}

}  // namespace
}  // namespace groma::hpcc::random_access
