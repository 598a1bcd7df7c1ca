#include "survey/numa_costs.hpp"

#include <gtest/gtest.h>

namespace groma::survey {
namespace {

/// 5 GB/s in sequence, half of it at random, 30 us for each part.
constexpr ReadCost kModern{Seconds(30e-6), 0.2e-9, 0.4e-9};

ReadTask task_of(std::uint32_t places, Seconds time) {
  return {places, 64_MiB, Seconds(0.05), time};
}

/// One round of the four ways.
Seconds round_of(const ReadPlan& plan, const ReadCost& cost) {
  return (cost.in_sequence(plan.part) * 3.0 + cost.at_random(plan.part)) * static_cast<double>(plan.cells);
}

TEST(NumaCosts, MatricesOfAFewPlacesAreWholeAtAnySpeed) {
  for (const double slower : {1.0, 10.0, 1000.0}) {
    const ReadCost cost{Seconds(30e-6), kModern.sequential * slower, kModern.scattered * slower};
    EXPECT_EQ(plan_reads(task_of(24, Seconds(4.5)), cost).cells, 24U * 24U) << slower;
  }
}

TEST(NumaCosts, PartsShrinkToWhatTheTimeNeeds) {
  const Seconds time(4.5);
  for (const std::uint32_t places : {2U, 8U, 24U, 64U}) {
    const ReadPlan plan = plan_reads(task_of(places, time), kModern);
    EXPECT_EQ(plan.cells, std::size_t{places} * places);
    EXPECT_LE(round_of(plan, kModern), time / 2.0) << places;
    const ReadPlan larger{plan.cells, plan.part * 2, plan.reallocating};
    if (plan.part < 64_MiB) {
      EXPECT_GT(round_of(larger, kModern), time * 0.4) << places;
    }
  }
}

TEST(NumaCosts, ManyPlacesAreSampledInTheTimeAndInABoundedRecord) {
  for (const std::uint32_t places : {200U, 256U, 4096U}) {
    const ReadPlan plan = plan_reads(task_of(places, Seconds(4.5)), kModern);
    EXPECT_LT(plan.cells, std::size_t{places} * places);
    EXPECT_GE(plan.cells, places);
    EXPECT_LE(plan.cells, kCellsPerPlace * places);
  }
  EXPECT_LE(round_of(plan_reads(task_of(256, Seconds(4.5)), kModern), kModern), Seconds(2.3));
}

TEST(NumaCosts, ReallocationTakesABoundedShare) {
  ReadTask task = task_of(64, Seconds(4.5));
  EXPECT_EQ(plan_reads(task, kModern).reallocating, 18U);
  task.reallocation = Seconds(1e-3);
  EXPECT_EQ(plan_reads(task, kModern).reallocating, 64U);
  task.reallocation = Seconds(100);
  EXPECT_EQ(plan_reads(task, kModern).reallocating, 1U);
}

TEST(NumaCosts, PartsAreWithinTheirBounds) {
  EXPECT_EQ(affordable_part(kModern, 1.0, Seconds(1.0), 64_KiB, 64_MiB), 64_MiB);
  EXPECT_EQ(affordable_part(kModern, 1e9, Seconds(1.0), 64_KiB, 64_MiB), 64_KiB);
  EXPECT_EQ(affordable_part(kModern, 1e9, Seconds(1.0), 64_KiB, 32_KiB), 32_KiB);
}

TEST(BlockSize, OfOwnersOfOneCacheIsThatSizeTogether) {
  const Bytes plenty(1ULL << 40U);
  EXPECT_EQ(choose_block_size(32_MiB, 128_MiB, plenty, 4, 8), 8_MiB);
  EXPECT_EQ(choose_block_size(32_MiB, 128_MiB, plenty, 4, 1000), 1_MiB);
}

TEST(BlockSize, IsTwiceTheLastLevelCacheWithinBounds) {
  const Bytes plenty(1ULL << 40U);
  EXPECT_EQ(choose_block_size(32_MiB, 128_MiB, plenty, 4), 64_MiB);
  EXPECT_EQ(choose_block_size(36_MiB, 128_MiB, plenty, 4), 128_MiB);
  EXPECT_EQ(choose_block_size(1_MiB, 128_MiB, plenty, 4), 32_MiB);
  EXPECT_EQ(choose_block_size(256_MiB, 128_MiB, plenty, 4), 128_MiB);
  EXPECT_EQ(choose_block_size(std::nullopt, 128_MiB, plenty, 4), 32_MiB);
}

TEST(BlockSize, KeepsAllBlocksWithinAQuarterOfTheMemory) {
  const Bytes size = choose_block_size(32_MiB, 128_MiB, 1000_MiB, 8);
  EXPECT_EQ(size, 16_MiB);
  EXPECT_EQ(choose_block_size(32_MiB, 128_MiB, Bytes(0), 8).value(), 0U);
}

TEST(NumaCosts, MoreTimeIsNeverWorseHoweverMuch) {
  const ReadPlan plan = plan_reads(task_of(200, Seconds(1e9)), kModern);
  const ReadPlan endless = plan_reads(task_of(200, Seconds(1e30)), kModern);
  EXPECT_EQ(endless.cells, plan.cells);
  EXPECT_EQ(endless.reallocating, plan.reallocating);
}

}  // namespace
}  // namespace groma::survey
