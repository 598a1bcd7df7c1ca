#include "job/settled_median.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace groma::job {
namespace {

/// Sums of uniform numbers: nearly normal around 1 with this standard deviation.
std::vector<double> noisy(std::size_t count, double deviation, std::uint64_t seed) {
  constexpr int kSummed = 12;
  RandomStream random(seed);
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = -0.5 * kSummed;
    for (int j = 0; j < kSummed; ++j) sum += static_cast<double>(random.below(1U << 20U)) / (1U << 20U);
    samples.push_back(1.0 + deviation * sum);
  }
  return samples;
}

/// Ones, and some that are far below.
std::vector<double> with_outliers(std::size_t count, std::size_t low) {
  std::vector<double> samples(count, 1.0);
  std::fill_n(samples.begin(), low, 0.5);
  RandomStream random(1);
  shuffle(std::span(samples), random);
  return samples;
}

TEST(IsSettledMedian, IsNotWhileTheSamplesAreScattered) {
  // The last third moves the median by nothing.
  EXPECT_FALSE(is_settled_median(std::vector{0.60, 1.40, 1.00, 0.80, 1.20, 1.00, 1.00}));
}

TEST(IsSettledMedian, IsWhereAllSamplesAreAlike) {
  EXPECT_TRUE(is_settled_median(std::vector{1.00, 1.02, 0.99, 1.01, 1.00, 0.98}));
}

TEST(IsSettledMedian, NeedsSixSamplesForAnInterval) {
  EXPECT_FALSE(is_settled_median(std::vector<double>(5, 1.0)));
  EXPECT_TRUE(is_settled_median(std::vector<double>(6, 1.0)));
}

TEST(IsSettledMedian, IsNotWhileItDrifts) {
  EXPECT_FALSE(is_settled_median(std::vector{1.00, 1.00, 1.00, 1.00, 1.04, 1.04, 1.04, 1.04, 1.04}));
}

TEST(IsSettledMedian, ForgivesAnOutlierOnceThereAreEnoughOthers) {
  EXPECT_FALSE(is_settled_median(std::vector{1.0, 1.0, 1.0, 1.0, 1.0, 5.0}));
  EXPECT_TRUE(is_settled_median(std::vector{1.0, 1.0, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0}));
}

TEST(IsSettledMedian, TakesMoreSamplesTheMoreTheyScatter) {
  const auto until_settled = [](double deviation) {
    const std::vector<double> all = noisy(400, deviation, 7);
    std::size_t count = 6;
    while (count < all.size() && !is_settled_median(std::span(all).first(count))) ++count;
    return count;
  };
  EXPECT_LE(until_settled(0.01), 8);
  EXPECT_GT(until_settled(0.1), 15);
  EXPECT_LT(until_settled(0.1), 100);
}

TEST(IsSettledMedian, HasAnIntervalThatHoldsItFor95Percent) {
  // Of 9 and 12 samples the second and the third from each end are the ends of the interval.
  std::vector<double> nine = {0.5, 0.951, 0.99, 1.0, 1.0, 1.0, 1.01, 1.049, 1.5};
  EXPECT_TRUE(is_settled_median(nine));
  nine[1] = 0.93;
  EXPECT_FALSE(is_settled_median(nine));
  std::vector<double> twelve = {0.2, 0.5, 0.951, 0.99, 1.0, 1.0, 1.0, 1.0, 1.01, 1.049, 1.5, 1.8};
  EXPECT_TRUE(is_settled_median(twelve));
  twelve[2] = 0.93;
  EXPECT_FALSE(is_settled_median(twelve));
}

TEST(IsSettledMedian, HasThatIntervalOfThousandsOfSamplesToo) {
  // Their ends, counted from 0, are what groma.stats.intervals finds.
  const std::map<std::size_t, std::size_t> first_of = {{1000, 468}, {1075, 504}, {2000, 955}, {5000, 2430}};
  for (const auto& [count, first] : first_of) {
    EXPECT_TRUE(is_settled_median(with_outliers(count, first))) << count;
    EXPECT_FALSE(is_settled_median(with_outliers(count, first + 1))) << count;
  }
}

}  // namespace
}  // namespace groma::job
