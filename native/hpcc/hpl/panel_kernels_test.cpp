#include "hpcc/hpl/panel_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "testing/fails.hpp"

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

void expect_that_they_find_the_first_of_the_largest(const PanelKernels& kernels) {
  for (std::size_t count = 0; count < 100; ++count) {
    const auto x = random_values(count);
    EXPECT_EQ(kernels.largest(x.data(), static_cast<std::int64_t>(count)), first_largest(x)) << count;
  }
  std::vector<double> x(40, -1.0);
  EXPECT_EQ(kernels.largest(x.data(), 40), (Candidate{1.0, 0}));
  x[37] = x[20] = -3.0;
  EXPECT_EQ(kernels.largest(x.data(), 40), (Candidate{3.0, 20}));
}
TEST_P(PanelKernelsOf, FindTheFirstOfTheLargest) {
  expect_that_they_find_the_first_of_the_largest(*GetParam());
}

void expect_that_they_pass_over_not_a_number(const PanelKernels& kernels) {
  std::vector<double> x(20, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(kernels.largest(x.data(), 20), (Candidate{0.0, 0}));
  x[5] = 1.0;
  EXPECT_EQ(kernels.largest(x.data(), 20), (Candidate{1.0, 5}));
}
TEST_P(PanelKernelsOf, PassOverNotANumber) {
  expect_that_they_pass_over_not_a_number(*GetParam());
}

/// Whole numbers: every order of operations gives the same ones.
void expect_that_they_eliminate_a_column_from_those_after_it(const PanelKernels& kernels) {
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
          kernels.eliminate(x.data(), 2.0, {factors.data(), 2}, {to.data(), rows, columns, rows});
      EXPECT_EQ(x, expected_x);
      EXPECT_EQ(to, expected);
      EXPECT_EQ(next, columns == 0 ? Candidate{} : first_largest({to.begin(), to.begin() + rows}));
    }
  }
}
TEST_P(PanelKernelsOf, EliminateAColumnFromThoseAfterIt) {
  expect_that_they_eliminate_a_column_from_those_after_it(*GetParam());
}

void expect_that_they_subtract_columns_from_one(const PanelKernels& kernels) {
  for (const std::int64_t rows : {0, 1, 7, 8, 31, 32, 33, 70}) {
    const auto size = static_cast<std::size_t>(rows);
    const auto from = random_values(size * 3);
    auto to = random_values(size);
    auto expected = to;
    const std::vector<double> factors = {2, -3, 5};
    for (std::size_t i = 0; i < from.size(); ++i) expected[i % size] -= from[i] * factors[i / size];
    const Candidate next =
        kernels.subtract_columns({from.data(), rows, 3, rows}, {factors.data(), 1}, to.data());
    EXPECT_EQ(to, expected);
    EXPECT_EQ(next, first_largest(expected));
  }
}
TEST_P(PanelKernelsOf, SubtractColumnsFromOne) {
  expect_that_they_subtract_columns_from_one(*GetParam());
}

void expect_that_they_subtract_tiles_of_every_size(const PanelKernels& kernels) {
  const std::int64_t width = kernels.tile_columns;
  constexpr std::int64_t kDepth = 5;
  const auto lower = random_values(kGroupRows * kDepth);
  const auto upper = random_values(static_cast<std::size_t>(width * kDepth));
  for (std::int64_t rows = 1; rows <= kGroupRows; ++rows) {
    for (std::int64_t columns = 1; columns <= width; ++columns) {
      auto c = random_values(static_cast<std::size_t>(rows * (width + 1)));
      auto expected = c;
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          for (std::int64_t k = 0; k < kDepth; ++k) {
            expected[static_cast<std::size_t>(i * (width + 1) + j)] -=
                lower[static_cast<std::size_t>(k * kGroupRows + i)] *
                upper[static_cast<std::size_t>(k * width + j)];
          }
        }
      }
      kernels.subtract_tile(lower.data(), upper.data(), kDepth, {c.data(), columns, rows, width + 1});
      EXPECT_EQ(c, expected) << rows << " x " << columns;
    }
  }
}
TEST_P(PanelKernelsOf, SubtractTilesOfEverySize) {
  expect_that_they_subtract_tiles_of_every_size(*GetParam());
}

/// Small multipliers: the solution of eight rows stays exact.
void expect_that_they_solve_triangles_of_every_size(const PanelKernels& kernels) {
  const std::int64_t width = kernels.tile_columns;
  for (std::int64_t rows = 1; rows <= kGroupRows; ++rows) {
    std::vector<double> triangle(kGroupRows * kGroupRows, 1e300);  // on the diagonal and above it is not read
    for (std::int64_t k = 0; k < rows; ++k) {
      for (std::int64_t r = k + 1; r < kGroupRows; ++r) {
        triangle[static_cast<std::size_t>(k * kGroupRows + r)] = static_cast<double>((r + 3 * k) % 5 - 2);
      }
    }
    const auto expected = random_values(static_cast<std::size_t>(kGroupRows * width));
    auto upper = expected;  // T times it, from the last row on
    for (std::int64_t r = rows - 1; r >= 0; --r) {
      for (std::int64_t k = 0; k < r; ++k) {
        for (std::int64_t j = 0; j < width; ++j) {
          upper[static_cast<std::size_t>(r * width + j)] +=
              triangle[static_cast<std::size_t>(k * kGroupRows + r)] *
              expected[static_cast<std::size_t>(k * width + j)];
        }
      }
    }
    kernels.solve_tile(triangle.data(), rows, upper.data());
    EXPECT_EQ(upper, expected) << rows;
  }
}
TEST_P(PanelKernelsOf, SolveTrianglesOfEverySize) {
  expect_that_they_solve_triangles_of_every_size(*GetParam());
}

void expect_that_they_subtract_dot_products_of_rows(const PanelKernels& kernels) {
  for (const std::int64_t rows : {0, 1, 3, 4, 5, 9}) {
    for (const std::int64_t length : {0, 1, 7, 8, 33}) {
      const auto from = random_values(static_cast<std::size_t>(rows * length));
      const auto x = random_values(static_cast<std::size_t>(length));
      auto to = random_values(static_cast<std::size_t>(rows));
      auto expected = to;
      for (std::size_t i = 0; i < from.size(); ++i) {
        expected[i / x.size()] -= from[i] * x[i % x.size()];
      }
      kernels.subtract_dots({from.data(), length, rows, length}, x.data(), to.data());
      EXPECT_EQ(to, expected) << rows << " of " << length;
    }
  }
}
TEST_P(PanelKernelsOf, SubtractDotProductsOfRows) {
  expect_that_they_subtract_dot_products_of_rows(*GetParam());
}

const PanelKernels& right() {
  return *all_panel_kernels().front();
}

struct Mutant {
  std::string_view name;
  PanelKernels kernels;
};

/// Each does one thing wrong.
std::vector<Mutant> mutants() {
  const auto with = [](std::string_view name, auto member, auto function) {
    Mutant one{name, right()};
    one.kernels.*member = function;
    return one;
  };
  using Kernels = PanelKernels;
  return {
      with("the last of the largest", &Kernels::largest,
           [](const double* x, std::int64_t count) {
             Candidate best = right().largest(x, count);
             for (std::int64_t i = 0; i < count; ++i) {
               if (std::abs(x[i]) == best.magnitude) best.local_row = i;
             }
             return best;
           }),
      with("all but the last element", &Kernels::largest,
           [](const double* x, std::int64_t count) { return right().largest(x, count > 0 ? count - 1 : 0); }),
      with("signs instead of magnitudes", &Kernels::largest,
           [](const double* x, std::int64_t count) {
             std::vector<double> positive(x, x + count);
             for (double& value : positive) value = std::max(value, 0.0);
             return right().largest(positive.data(), count);
           }),
      with("no scaling", &Kernels::eliminate,
           [](double* x, double, Factors factors, Matrix to) {
             return right().eliminate(x, 1.0, factors, to);
           }),
      with("the last row left out", &Kernels::eliminate,
           [](double* x, double factor, Factors factors, Matrix to) {
             if (to.rows > 0) --to.rows;
             return right().eliminate(x, factor, factors, to);
           }),
      with("one factor for all", &Kernels::eliminate,
           [](double* x, double factor, Factors factors, Matrix to) {
             return right().eliminate(x, factor, {factors.data, 0}, to);
           }),
      with("no candidate", &Kernels::eliminate,
           [](double* x, double factor, Factors factors, Matrix to) {
             right().eliminate(x, factor, factors, to);
             return Candidate{};
           }),
      with("the last column left out", &Kernels::subtract_columns,
           [](ConstMatrix from, Factors factors, double* to) {
             return right().subtract_columns(from.part(0, 0, from.rows, from.columns - 1), factors, to);
           }),
      with("a value that is no number", &Kernels::subtract_columns,
           [](ConstMatrix from, Factors factors, double* to) {
             const Candidate found = right().subtract_columns(from, factors, to);
             if (from.rows > 0) to[from.rows - 1] = std::numeric_limits<double>::quiet_NaN();
             return found;
           }),
      with("the last term left out", &Kernels::subtract_dots,
           [](ConstMatrix from, const double* x, double* to) {
             if (from.rows > 0) --from.rows;
             right().subtract_dots(from, x, to);
           }),
      with("nothing subtracted", &Kernels::subtract_dots, [](ConstMatrix, const double*, double*) {}),
      with("the first step left out", &Kernels::subtract_tile,
           [](const double* lower, const double* upper, std::int64_t depth, Matrix c) {
             right().subtract_tile(lower + kGroupRows, upper + right().tile_columns, depth - 1, c);
           }),
      with("one row left out", &Kernels::subtract_tile,
           [](const double* lower, const double* upper, std::int64_t depth, Matrix c) {
             if (c.columns > 1) --c.columns;
             right().subtract_tile(lower, upper, depth, c);
           }),
      with("the last row not solved", &Kernels::solve_tile,
           [](const double* triangle, std::int64_t count, double* upper) {
             right().solve_tile(triangle, count - 1, upper);
           }),
      with("the first multipliers left out", &Kernels::solve_tile,
           [](const double* triangle, std::int64_t count, double* upper) {
             right().solve_tile(triangle + kGroupRows + 1, count - 1, upper + right().tile_columns);
           }),
  };
}

void expect_all(const PanelKernels& kernels) {
  expect_that_they_find_the_first_of_the_largest(kernels);
  expect_that_they_pass_over_not_a_number(kernels);
  expect_that_they_eliminate_a_column_from_those_after_it(kernels);
  expect_that_they_subtract_columns_from_one(kernels);
  expect_that_they_subtract_tiles_of_every_size(kernels);
  expect_that_they_solve_triangles_of_every_size(kernels);
  expect_that_they_subtract_dot_products_of_rows(kernels);
}

TEST(MutatedPanelKernels, FailTheseTests) {
  EXPECT_FALSE(fails([] { expect_all(right()); }));
  for (const Mutant& mutant : mutants()) {
    EXPECT_TRUE(fails([&] { expect_all(mutant.kernels); })) << mutant.name;
  }
}

}  // namespace
}  // namespace groma::hpcc::hpl
