#include "hpcc/hpl/matrix_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace groma::hpcc::hpl {
namespace {

/// A view of so many rows and columns in either form, with a stride beyond what it needs.
MatrixView view_of(std::vector<double>& memory, std::int64_t rows, std::int64_t columns, Transposed form) {
  memory.assign(static_cast<std::size_t>((rows + 3) * (columns + 3)), -1.0);
  if (form == Transposed::kYes) return MatrixView::by_rows(memory.data(), rows, columns, columns + 3);
  return {{memory.data(), rows, columns, rows + 3}};
}

TEST(MatrixView, CopiesBetweenAllForms) {
  for (const auto from_form : {Transposed::kNo, Transposed::kYes}) {
    for (const auto to_form : {Transposed::kNo, Transposed::kYes}) {
      for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
               {0, 3}, {3, 0}, {1, 1}, {8, 8}, {7, 17}, {17, 9}}) {
        std::vector<double> from_memory;
        std::vector<double> to_memory;
        const MatrixView from = view_of(from_memory, rows, columns, from_form);
        std::iota(from_memory.begin(), from_memory.end(), 1.0);
        const MatrixView to = view_of(to_memory, rows, columns, to_form);
        copy(from, to);
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(to(i, j), from(i, j)) << i << ", " << j;
        }
        const auto untouched = std::count(to_memory.begin(), to_memory.end(), -1.0);
        EXPECT_EQ(untouched, static_cast<std::ptrdiff_t>(to_memory.size()) - rows * columns);
      }
    }
  }
}

TEST(MatrixView, SolvesTrianglesInAllForms) {
  for (const auto matrix_form : {Transposed::kNo, Transposed::kYes}) {
    for (const auto form : {Transposed::kNo, Transposed::kYes}) {
      std::vector<double> memory;
      const MatrixView matrix = view_of(memory, 2, 2, matrix_form);
      matrix(0, 0) = 2;
      matrix(0, 1) = 3;
      matrix(1, 0) = 5;
      matrix(1, 1) = 4;
      std::vector<double> of_b;
      const MatrixView b = view_of(of_b, 2, 1, form);
      b(0, 0) = 7;
      b(1, 0) = 4;
      solve_upper(matrix, b);
      EXPECT_EQ(b(1, 0), 1.0);
      EXPECT_EQ(b(0, 0), 2.0);
      b(0, 0) = 7;
      b(1, 0) = 4;
      solve_unit_lower(matrix, b);
      EXPECT_EQ(b(0, 0), 7.0);
      EXPECT_EQ(b(1, 0), -31.0);
    }
  }
}

}  // namespace
}  // namespace groma::hpcc::hpl
