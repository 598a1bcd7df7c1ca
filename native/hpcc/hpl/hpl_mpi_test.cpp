#include <gtest/gtest.h>

#include <cmath>

#include "hpcc/hpl/solution.hpp"

namespace groma::hpcc::hpl {
namespace {

constexpr std::uint64_t kSeed = 42;

/// x of the system of order n by elimination on whole rows, with no block, no grid and no BLAS.
std::vector<double> reference_solution(std::int64_t n) {
  const RandomSystem system(n, kSeed);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= n; ++j) rows[static_cast<std::size_t>(i)].push_back(system.element(i, j));
  }
  const std::size_t order = rows.size();
  for (std::size_t k = 0; k < order; ++k) {
    for (std::size_t i = k + 1; i < order; ++i) {
      if (std::abs(rows[i][k]) > std::abs(rows[k][k])) std::swap(rows[i], rows[k]);
    }
    for (std::size_t i = k + 1; i < order; ++i) {
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j <= order; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  std::vector<double> x(order);
  for (std::size_t k = order; k-- > 0;) {
    double sum = rows[k][order];
    for (std::size_t j = k + 1; j < order; ++j) sum -= rows[k][j] * x[j];
    x[k] = sum / rows[k][k];
  }
  return x;
}

/// Solves on the ranks of the grid and compares with the reference, relative to its largest element.
void expect_solved(const HplCase& one) {
  const auto world = mpi::Communicator::world();
  const auto grid = ProcessGrid::make(world, one.grid, one.order);
  if (!grid) return;
  const Result<Solution> solution = solve(*grid, one, kSeed);
  ASSERT_TRUE(solution);
  EXPECT_LT(solution.value().residual.scaled(), 16.0);
  const std::vector<double> expected = reference_solution(static_cast<std::int64_t>(one.n));
  double scale = 0.0;
  for (const double x : expected) scale = std::max(scale, std::abs(x));
  ASSERT_EQ(solution.value().x.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(solution.value().x[i], expected[i], 1e-8 * scale) << "x[" << i << "]";
  }
}

std::vector<Grid> grids_of(int ranks) {
  std::vector<Grid> grids;
  for (int rows = 1; rows <= ranks; ++rows) {
    for (int columns = 1; rows * columns <= ranks; ++columns) grids.push_back({rows, columns});
  }
  return grids;
}

std::string name_of(const HplCase& one) {
  return std::to_string(one.n) + " by " + std::to_string(one.nb) + " on " + std::to_string(one.grid.rows) +
         " x " + std::to_string(one.grid.columns);
}

TEST(Hpl, SolvesOnEveryGridWhateverTheBlockSize) {
  for (const Grid& grid : grids_of(mpi::Communicator::world().size())) {
    for (const auto& [n, nb] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {1, 8}, {7, 3}, {16, 16}, {17, 4}, {64, 100}, {97, 16}}) {
      for (const RankOrder order : {RankOrder::kRowMajor, RankOrder::kColumnMajor}) {
        const HplCase one{n, nb, grid, order, {}};
        SCOPED_TRACE(name_of(one));
        expect_solved(one);
      }
    }
  }
}

}  // namespace
}  // namespace groma::hpcc::hpl
