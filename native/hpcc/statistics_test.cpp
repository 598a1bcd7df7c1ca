#include "hpcc/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace groma::hpcc {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

TEST(Statistics, TakesTheMedianOfEachRankBeforeTheMeanOverRanks) {
  // Rank 0: 1, 9, 2 -> 2. Rank 1: 4, 6, 5 -> 5. A mean of the means would give 4.5.
  const Spread spread = spread_of_medians({{1.0, 4.0}, {9.0, 6.0}, {2.0, 5.0}});
  EXPECT_EQ(spread.min, 2.0);
  EXPECT_EQ(spread.mean, 3.5);
  EXPECT_EQ(spread.max, 5.0);
}

TEST(Statistics, LeavesOutRanksWithoutAValue) {
  EXPECT_EQ(medians_by_rank({{kNothing, 7.0, kNothing}, {kNothing, 9.0, kNothing}}),
            std::vector<double>{8.0});
}

TEST(Statistics, LeavesOutRepetitionsWithoutAValue) {
  EXPECT_EQ(medians_by_rank({{1.0}, {kNothing}, {3.0}}), std::vector<double>{2.0});
}

TEST(Statistics, TakesTheBestOfEachRank) {
  EXPECT_EQ(bests_by_rank({{1.0, kNothing, 4.0}, {9.0, kNothing, 6.0}, {2.0, kNothing, kNothing}}),
            (std::vector<double>{9.0, 6.0}));
}

TEST(Statistics, OfNothingIsNotANumber) {
  for (const Repetitions& none : {Repetitions{}, Repetitions{{kNothing}}}) {
    const Spread spread = spread_of_medians(none);
    EXPECT_TRUE(std::isnan(spread.min) && std::isnan(spread.mean) && std::isnan(spread.max));
  }
}

}  // namespace
}  // namespace groma::hpcc
