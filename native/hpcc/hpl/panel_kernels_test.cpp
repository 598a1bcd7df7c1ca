#include "hpcc/hpl/panel_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace groma::hpcc::hpl {
namespace {

std::vector<double> random_values(std::size_t count) {
  RandomStream random(count);
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(random.below(2001)) - 1000.0;
  return values;
}

Candidate first_largest(const std::vector<double>& x) {
  Candidate best;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i]) > best.magnitude) best = {std::abs(x[i]), static_cast<std::int64_t>(i)};
  }
  return best;
}

class PanelKernelsOf : public testing::TestWithParam<const PanelKernels*> {};
INSTANTIATE_TEST_SUITE_P(Instructions, PanelKernelsOf, testing::ValuesIn(all_panel_kernels()),
                         [](const auto& kernels) { return std::string(kernels.param->instructions); });

TEST_P(PanelKernelsOf, FindTheFirstOfTheLargest) {
  for (std::size_t count = 0; count < 100; ++count) {
    const auto x = random_values(count);
    EXPECT_EQ(GetParam()->largest(x.data(), static_cast<std::int64_t>(count)), first_largest(x)) << count;
  }
  std::vector<double> x(40, -1.0);
  EXPECT_EQ(GetParam()->largest(x.data(), 40), (Candidate{1.0, 0}));
  x[37] = x[20] = -3.0;
  EXPECT_EQ(GetParam()->largest(x.data(), 40), (Candidate{3.0, 20}));
}

TEST_P(PanelKernelsOf, PassOverNotANumber) {
  std::vector<double> x(20, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(GetParam()->largest(x.data(), 20), (Candidate{0.0, 0}));
  x[5] = 1.0;
  EXPECT_EQ(GetParam()->largest(x.data(), 20), (Candidate{1.0, 5}));
}

/// Whole numbers: every order of operations gives the same ones.
TEST_P(PanelKernelsOf, EliminateAColumnFromThoseAfterIt) {
  for (const std::int64_t rows : {0, 1, 7, 8, 31, 32, 33, 70}) {
    for (const std::int64_t columns : {0, 1, 3, 8}) {
      const auto size = static_cast<std::size_t>(rows);
      auto x = random_values(size);
      auto to = random_values(size * 8);
      auto expected_x = x;
      auto expected = to;
      const std::vector<double> factors = {2, 0, -3, 0, 5, 0, 7, 0, 1, 0, -1, 0, 4, 0, 6, 0};
      for (double& value : expected_x) value *= 2.0;
      for (std::size_t i = 0; i < size * static_cast<std::size_t>(columns); ++i) {
        expected[i] -= expected_x[i % size] * factors[i / size * 2];
      }
      const Candidate next =
          GetParam()->eliminate(x.data(), 2.0, {factors.data(), 2}, {to.data(), rows, columns, rows});
      EXPECT_EQ(x, expected_x);
      EXPECT_EQ(to, expected);
      EXPECT_EQ(next, columns == 0 ? Candidate{} : first_largest({to.begin(), to.begin() + rows}));
    }
  }
}

TEST_P(PanelKernelsOf, SubtractColumnsFromOne) {
  for (const std::int64_t rows : {0, 1, 7, 8, 31, 32, 33, 70}) {
    const auto size = static_cast<std::size_t>(rows);
    const auto from = random_values(size * 3);
    auto to = random_values(size);
    auto expected = to;
    const std::vector<double> factors = {2, -3, 5};
    for (std::size_t i = 0; i < from.size(); ++i) expected[i % size] -= from[i] * factors[i / size];
    const Candidate next =
        GetParam()->subtract_columns({from.data(), rows, 3, rows}, {factors.data(), 1}, to.data());
    EXPECT_EQ(to, expected);
    EXPECT_EQ(next, first_largest(expected));
  }
}

}  // namespace
}  // namespace groma::hpcc::hpl
