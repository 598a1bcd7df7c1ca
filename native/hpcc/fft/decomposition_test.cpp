#include "hpcc/fft/decomposition.hpp"

#include <gtest/gtest.h>

#include "hpcc/fft/layout.hpp"

namespace groma::hpcc::fft {
namespace {

TEST(squarest_shape, is_as_square_as_the_factors_allow) {
  EXPECT_EQ(squarest_shape(1), (Shape{1, 1}));
  EXPECT_EQ(squarest_shape(12), (Shape{3, 4}));
  EXPECT_EQ(squarest_shape(13), (Shape{1, 13}));
  EXPECT_EQ(squarest_shape(1ULL << 22U), (Shape{2048, 2048}));
  EXPECT_EQ(squarest_shape(1ULL << 41U), (Shape{1ULL << 20U, 1ULL << 21U}));
}

TEST(Partition, covers_everything_once_in_order) {
  for (const std::uint64_t count : {0U, 1U, 5U, 8U, 24U, 100U, 1000U, 2048U}) {
    for (const int parts : {1, 2, 3, 4, 6, 7, 64}) {
      const Partition partition(count, parts);
      std::uint64_t next = 0;
      for (int part = 0; part < parts; ++part) {
        EXPECT_EQ(partition.of(part).first, next);
        EXPECT_LE(partition.of(part).count, partition.largest());
        next = partition.of(part).end();
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Partition, leaves_no_part_idle_that_could_have_something) {
  for (const std::uint64_t count : {6U, 7U, 50U, 96U, 128U, 2000U}) {
    for (int parts = 1; parts <= 6; ++parts) {
      const Partition partition(count, parts);
      for (int part = 0; part < parts; ++part) EXPECT_GT(partition.of(part).count, 0U);
      EXPECT_LE(static_cast<double>(partition.largest()), 1.0 + 1.13 * static_cast<double>(count) / parts);
    }
  }
}

TEST(Partition, keeps_lines_whole_where_that_costs_no_balance) {
  const Partition partition(2048, 6);
  for (int part = 0; part < 6; ++part) EXPECT_EQ(partition.of(part).first % kGroup, 0U);
}

TEST(Chunks, of_a_part_are_the_part) {
  for (const std::uint64_t count : {1U, 30U, 1000U}) {
    const Partition partition(count, 3);
    const Chunks chunks{&partition, 2};
    for (int part = 0; part < 3; ++part) {
      std::uint64_t next = partition.of(part).first;
      for (std::uint64_t chunk = 0; chunk < chunks.count(); ++chunk) {
        const Range range = chunks.of(part, chunk);
        if (range.count == 0) continue;
        EXPECT_EQ(range.first, next);
        EXPECT_LE(range.count, chunks.width());
        next = range.end();
      }
      EXPECT_EQ(next, partition.of(part).end());
    }
  }
}

TEST(Layout, groups_of_columns_follow_each_other) {
  const Layout layout({30, 50}, 4);
  std::uint64_t next = 0;
  for (const Range& group : layout.column_groups) {
    EXPECT_EQ(group.first, next);
    EXPECT_LE(group.count, kGroup);
    next = group.end();
  }
  EXPECT_EQ(next, 50U);
}

}  // namespace
}  // namespace groma::hpcc::fft
