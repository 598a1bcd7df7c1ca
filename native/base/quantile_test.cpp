#include "base/quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace groma {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40, 50}, 0.05), 12.0);
}

TEST(Quantile, EndsAreMinimumAndMaximum) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 1.0), 3.0);
}

TEST(Quantile, SurvivesOneSampleAndNone) {
  EXPECT_DOUBLE_EQ(quantile({7}, 0.3), 7.0);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Settled, NeedsSixSamples) {
  const std::vector<double> five(5, 1.0);
  EXPECT_FALSE(is_settled(five, 0.05, 0.1));
  const std::vector<double> six(6, 1.0);
  EXPECT_TRUE(is_settled(six, 0.05, 0.1));
}

TEST(Settled, NoticesALowerValueThatCameLate) {
  EXPECT_FALSE(is_settled(std::vector<double>{9, 9, 9, 9, 1, 1}, 0.05, 0.1));
  EXPECT_TRUE(is_settled(std::vector<double>{1, 1, 9, 9, 9, 9}, 0.05, 0.1));
}

}  // namespace
}  // namespace groma
