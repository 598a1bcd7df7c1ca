#include "sim/torus/histogram.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.hpp"

namespace groma::sim::torus {
namespace {

TEST(Histogram, GivesQuantilesWithinABin) {
  Histogram histogram;
  std::vector<std::int64_t> values;
  RandomStream random(1);
  for (int i = 0; i < 10001; ++i) {
    values.push_back(static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(40))));
    histogram.add(values.back());
  }
  std::ranges::sort(values);
  for (const double share : {0.05, 0.5, 0.95}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(share * 10001.0)]);
    EXPECT_LE(static_cast<double>(histogram.quantile(share)), exact);
    EXPECT_GE(static_cast<double>(histogram.quantile(share)), exact * (1.0 - (1.0 / 32.0)) - 1.0);
  }
  EXPECT_EQ(histogram.least(), values.front());
  EXPECT_EQ(histogram.greatest(), values.back());
}

TEST(Histogram, AddsUp) {
  Histogram one;
  Histogram other;
  one.add(10);
  other.add(30);
  one.add(other);
  EXPECT_EQ(one.count(), 2U);
  EXPECT_EQ(one.mean(), 20.0);
  EXPECT_EQ(one.least(), 10);
  EXPECT_EQ(one.greatest(), 30);
}

TEST(Histogram, OfNothingIsZero) {
  EXPECT_EQ(Histogram().quantile(0.5), 0);
  EXPECT_EQ(Histogram().mean(), 0.0);
}

}  // namespace
}  // namespace groma::sim::torus
