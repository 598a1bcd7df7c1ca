#include "hpcc/blas.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"

namespace groma::hpcc {
namespace {

/// A column-major matrix of its own, in a stride larger than its rows.
struct Owned {
  Owned(std::int64_t rows, std::int64_t columns, std::uint64_t seed)
      : words(static_cast<std::size_t>((rows + 3) * columns)), matrix{words.data(), rows, columns, rows + 3} {
    RandomStream random(seed);
    for (double& word : words) word = static_cast<double>(random.below(9)) - 4.0;
  }
  std::vector<double> words;
  Matrix matrix;
};

double element(const Matrix& a, Transposed transposed, std::int64_t i, std::int64_t j) {
  return transposed == Transposed::kYes ? *a.at(j, i) : *a.at(i, j);
}

TEST(Dgemm, MultipliesInEveryOrientation) {
  for (const auto of_a : {Transposed::kNo, Transposed::kYes}) {
    for (const auto of_b : {Transposed::kNo, Transposed::kYes}) {
      const std::int64_t m = 5, n = 7, k = 4;
      const Owned a(of_a == Transposed::kYes ? k : m, of_a == Transposed::kYes ? m : k, 1);
      const Owned b(of_b == Transposed::kYes ? n : k, of_b == Transposed::kYes ? k : n, 2);
      Owned c(m, n, 3);
      Owned expected(m, n, 3);
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          double sum = 0.0;
          for (std::int64_t p = 0; p < k; ++p) {
            sum += element(a.matrix, of_a, i, p) * element(b.matrix, of_b, p, j);
          }
          *expected.matrix.at(i, j) = 2.0 * sum - *expected.matrix.at(i, j);
        }
      }
      dgemm(of_a, of_b, 2.0, a.matrix, b.matrix, -1.0, c.matrix);
      EXPECT_EQ(c.words, expected.words) << "whole numbers, and nothing written beside the matrix";
    }
  }
}

/// Whether element (i, j) is one of the triangle that is read, below or above a unit or given diagonal.
double triangle_element(const Matrix& a, Triangle stored, Diagonal diagonal, std::int64_t i, std::int64_t j) {
  if (i == j) return diagonal == Diagonal::kUnit ? 1.0 : *a.at(i, j);
  return (i > j) == (stored == Triangle::kLower) ? *a.at(i, j) : 0.0;
}

class Dtrsm : public testing::TestWithParam<std::tuple<Side, Triangle, Transposed, Diagonal>> {};
INSTANTIATE_TEST_SUITE_P(Forms, Dtrsm,
                         testing::Combine(testing::Values(Side::kLeft, Side::kRight),
                                          testing::Values(Triangle::kLower, Triangle::kUpper),
                                          testing::Values(Transposed::kNo, Transposed::kYes),
                                          testing::Values(Diagonal::kGiven, Diagonal::kUnit)));

TEST_P(Dtrsm, UndoesTheProductWithItsTriangle) {
  const auto [side, stored, transposed, diagonal] = GetParam();
  const std::int64_t m = 4, n = 6, order = side == Side::kLeft ? m : n;
  Owned a(order, order, 4);
  for (std::int64_t i = 0; i < order; ++i) *a.matrix.at(i, i) = 2.0;
  const Owned x(m, n, 5);
  Owned b(m, n, 5);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (std::int64_t k = 0; k < order; ++k) {
        const std::int64_t row = side == Side::kLeft ? i : k;
        const std::int64_t column = side == Side::kLeft ? k : j;
        const double factor = transposed == Transposed::kYes
                                  ? triangle_element(a.matrix, stored, diagonal, column, row)
                                  : triangle_element(a.matrix, stored, diagonal, row, column);
        sum += factor * (side == Side::kLeft ? *x.matrix.at(k, j) : *x.matrix.at(i, k));
      }
      *b.matrix.at(i, j) = sum;
    }
  }
  dtrsm(side, stored, transposed, diagonal, a.matrix, b.matrix);
  EXPECT_EQ(b.words, x.words);
}

/// ulimit -v, so much above what the process has mapped already.
class AddressLimit {
 public:
  explicit AddressLimit(Bytes left) {
    getrlimit(RLIMIT_AS, &before_);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit now = before_;
    now.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + left.value();
    setrlimit(RLIMIT_AS, &now);
  }
  ~AddressLimit() { setrlimit(RLIMIT_AS, &before_); }
  AddressLimit(const AddressLimit&) = delete;
  AddressLimit& operator=(const AddressLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(BlasRoom, IsMissedBeforeTheLibraryAsksForItForEver) {
  if (!blas_library().starts_with("OpenBLAS")) GTEST_SKIP() << "only OpenBLAS asks again";
  EXPECT_TRUE(check_blas_room(2));
  const AddressLimit limit(200_MiB);  // the buffer of one thread
  EXPECT_TRUE(check_blas_room(1));
  const Status refused = check_blas_room(2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "memory");
}

}  // namespace
}  // namespace groma::hpcc
