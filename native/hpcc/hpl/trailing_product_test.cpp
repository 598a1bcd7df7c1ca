#include "hpcc/hpl/trailing_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "hpcc/hpl/upper_tiles.hpp"

namespace groma::hpcc::hpl {
namespace {

/// Small whole numbers: every order of operations gives the same result.
std::vector<double> whole_numbers(std::int64_t count) {
  RandomStream random(static_cast<std::uint64_t>(count));
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = static_cast<double>(random.below(21)) - 10.0;
  return values;
}

struct Shape {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
};

/// C - L U in each form and by the definition. Garbage lies behind the columns of C.
class TrailingProduct : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    const auto [rows, columns, depth] = GetParam();
    lower = whole_numbers((rows + 1) * depth);
    upper = whole_numbers(depth * (columns + 2));
    c = whole_numbers(rows * (columns + 3));
    expected = c;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        double& element = expected[static_cast<std::size_t>(i * (columns + 3) + j)];
        for (std::int64_t k = 0; k < depth; ++k) element -= *stored().at(i, k) * upper_view()(k, j);
      }
    }
  }

  ConstMatrix stored() { return {lower.data(), GetParam().rows, GetParam().depth, GetParam().rows + 1}; }
  MatrixView upper_view() {
    return MatrixView::by_rows(upper.data(), GetParam().depth, GetParam().columns, GetParam().columns + 2);
  }
  MatrixView c_view() {
    return MatrixView::by_rows(c.data(), GetParam().rows, GetParam().columns, GetParam().columns + 3);
  }

  std::vector<double> lower, upper, c, expected;
};

TEST_P(TrailingProduct, OfDgemmIsExactForWholeNumbers) {
  int blocks = 0;
  subtract_product_by_blocks(stored(), upper_view(), c_view(), [&] { ++blocks; });
  EXPECT_EQ(c, expected);
  EXPECT_EQ(blocks == 0, GetParam().rows == 0) << "called after each block";
}

TEST_P(TrailingProduct, OfTilesIsExactForWholeNumbers) {
  const auto [rows, columns, depth] = GetParam();
  std::vector<double> packed(static_cast<std::size_t>(packed_words(rows, depth)), -1e300);
  pack_lower(stored(), packed.data());
  std::vector<double> memory(static_cast<std::size_t>(UpperTiles::words(depth)), -1e300);
  for (std::int64_t j = 0; j < columns; j += UpperTiles::kColumns) {
    const std::int64_t count = std::min(UpperTiles::kColumns, columns - j);
    const UpperTiles tiles(memory, depth, count);
    tiles.set(upper_view().part(0, j, depth, count));
    tiles.subtract_product(packed.data(), c_view().part(0, j, rows, count));
  }
  EXPECT_EQ(c, expected);
}

INSTANTIATE_TEST_SUITE_P(Shapes, TrailingProduct,
                         testing::Values(Shape{1, 1, 1}, Shape{8, 24, 3}, Shape{9, 25, 16}, Shape{7, 23, 17},
                                         Shape{0, 5, 4}, Shape{5, 0, 4}, Shape{40, 500, 33},
                                         Shape{1030, 7, 5}, Shape{64, 241, 192}));

}  // namespace
}  // namespace groma::hpcc::hpl
