#include "hpcc/hpl/upper_tiles.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace groma::hpcc::hpl {
namespace {

/// In [-1/2, 1/2).
double centred(RandomStream& random) {
  return static_cast<double>(random.below(1 << 20)) / (1 << 20) - 0.5;
}

struct Shape {
  std::int64_t rows;
  std::int64_t columns;
};

class UpperTilesOf : public testing::TestWithParam<Shape> {
 protected:
  std::vector<double> values() {
    RandomStream random(static_cast<std::uint64_t>(GetParam().rows));
    std::vector<double> some(static_cast<std::size_t>(GetParam().rows * GetParam().columns));
    for (double& value : some) value = centred(random);
    return some;
  }
  MatrixView view(std::vector<double>& some) {
    return MatrixView::by_rows(some.data(), GetParam().rows, GetParam().columns, GetParam().columns);
  }
  /// The same elements, by columns.
  MatrixView turned(std::vector<double>& some) {
    return {{some.data(), GetParam().rows, GetParam().columns, GetParam().rows}};
  }

  std::vector<double> memory = std::vector<double>(static_cast<std::size_t>(UpperTiles::words(200)), -1e300);
};
INSTANTIATE_TEST_SUITE_P(Shapes, UpperTilesOf,
                         testing::Values(Shape{1, 1}, Shape{7, 23}, Shape{8, 24}, Shape{9, 25},
                                         Shape{100, 240}, Shape{192, 239}));

TEST_P(UpperTilesOf, KeepRowsInWhicheverFormTheyCome) {
  std::vector<double> from = values();
  std::vector<double> by_columns(from.size());
  copy(view(from), turned(by_columns));
  for (const MatrixView& form : {view(from), turned(by_columns)}) {
    std::vector<double> to(from.size());
    const UpperTiles tiles(memory, GetParam().rows, GetParam().columns);
    tiles.set(form);
    tiles.copy_to(view(to));
    EXPECT_EQ(to, from);
  }
  std::vector<double> to(from.size());
  const UpperTiles tiles(memory, GetParam().rows, GetParam().columns);
  for (std::int64_t row = 0; row < GetParam().rows; ++row) tiles.set_row(row, &view(from)(row, 0));
  tiles.copy_to(view(to));
  EXPECT_EQ(to, from);
}

TEST_P(UpperTilesOf, SolveAsBlasDoes) {
  const std::int64_t rows = GetParam().rows;
  RandomStream random(7);
  std::vector<double> triangle(static_cast<std::size_t>(rows * rows));
  for (double& value : triangle) value = centred(random) / static_cast<double>(rows);
  for (const Transposed form : {Transposed::kNo, Transposed::kYes}) {
    const MatrixView lower{{triangle.data(), rows, rows, rows}, form};
    std::vector<double> expected = values();
    std::vector<double> found = expected;
    solve_unit_lower(lower, view(expected));
    const UpperTiles tiles(memory, rows, GetParam().columns);
    tiles.set(view(found));
    tiles.solve(pack_triangle(lower));
    tiles.copy_to(view(found));
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-14) << i;
  }
}

}  // namespace
}  // namespace groma::hpcc::hpl
