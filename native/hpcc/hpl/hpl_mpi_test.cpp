#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hpcc/hpl/back_substitution.hpp"
#include "hpcc/hpl/factorization.hpp"
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
void expect_solved(const HplCase& one, std::uint32_t threads = 1) {
  const auto world = mpi::Communicator::world();
  const auto grid = ProcessGrid::make(world, one.grid, one.order);
  if (!grid) return;
  const Result<Solution> solution = solve(*grid, one, kSeed, threads);
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

/// Grids of all ranks, and one that leaves a rank idle where there are enough.
std::vector<Grid> grids_of(int ranks) {
  std::vector<Grid> grids;
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows == 0) grids.push_back({rows, ranks / rows});
  }
  if (ranks > 2) grids.push_back({1, ranks - 1});
  return grids;
}

/// Whether a case is worth its messages: every column of a grid with several rows is a collective, which
/// takes a time slice where ranks share cores.
bool is_cheap(const HplCase& one) {
  return one.grid.rows == 1 || static_cast<std::uint64_t>(one.grid.ranks()) * one.n <= 120;
}

std::string name_of(const HplCase& one) {
  return std::to_string(one.n) + " by " + std::to_string(one.nb) + " on " + std::to_string(one.grid.rows) +
         " x " + std::to_string(one.grid.columns);
}

TEST(Hpl, SolvesOnEveryGridWhateverTheBlockSize) {
  for (const Grid& grid : grids_of(mpi::Communicator::world().size())) {
    for (const auto& [n, nb] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {1, 8}, {16, 16}, {17, 4}, {64, 100}, {97, 16}}) {
      const HplCase one{n, nb, grid, n == 17 ? RankOrder::kColumnMajor : RankOrder::kRowMajor, {}};
      SCOPED_TRACE(name_of(one));
      if (is_cheap(one)) expect_solved(one);
    }
  }
}

TEST(Hpl, SolvesWithSeveralThreadsInEachRank) {
  const int ranks = mpi::Communicator::world().size();
  for (const Grid& grid : {Grid{1, ranks}, Grid{ranks, 1}}) {
    const HplCase one{grid.rows == 1 ? 400U : 20U, 16, grid, RankOrder::kRowMajor, {}};
    SCOPED_TRACE(name_of(one));
    expect_solved(one, 3);
  }
}

/// Factors a system after `before` had its way with it; `after` may spoil the factors. The residual of what
/// back substitution makes of them.
template <class Before, class After>
Residual spoiled_residual(const ProcessGrid& grid, bool packed, const Before& before, const After& after) {
  const HplCase one{40, 8, {1, grid.columns()}, RankOrder::kRowMajor, {}};
  LocalMatrix matrix = LocalMatrix::make(grid, one).value();
  Workspace workspace = Workspace::make(grid, one, matrix, {1, packed}).value();
  const RandomSystem system(40, kSeed);
  matrix.fill(system);
  before(matrix);
  ThreadPool pool(1);
  Phases phases;
  factor(grid, one.method, matrix, workspace, pool, phases);
  after(matrix);
  return residual_of(grid, matrix.layout(), system, substitute_back(grid, matrix));
}

/// The element (i, j) of the rank that has it.
void set(LocalMatrix& matrix, std::int64_t i, std::int64_t j, double value) {
  const BlockCyclic& columns = matrix.layout().columns;
  if (columns.owner(j) == matrix.my_column()) matrix.all()(i, columns.local(j)) = value;
}

TEST(HplResidual, FailsOnACorruptedFactor) {
  const auto world = mpi::Communicator::world();
  const auto grid = ProcessGrid::make(world, {1, world.size()}, RankOrder::kRowMajor);
  const auto nothing = [](LocalMatrix&) {};
  const auto spoil = [](LocalMatrix& matrix) { set(matrix, 3, 20, 0.125); };
  for (const bool packed : {false, true}) {
    EXPECT_LT(spoiled_residual(*grid, packed, nothing, nothing).scaled(), 16.0);
    EXPECT_GT(spoiled_residual(*grid, packed, nothing, spoil).scaled(), 16.0);
  }
}

/// A factor of -1, an element that is not there, and one that is no number.
TEST(HplResidual, FailsOnAWrongLastElementOfASolutionOfAnyOrder) {
  const auto world = mpi::Communicator::world();
  const Grid row{1, world.size()};
  const auto grid = ProcessGrid::make(world, row, RankOrder::kRowMajor);
  for (const std::uint64_t n : {1U, 2U, 3U, 7U, 16U, 17U}) {
    const HplCase one{n, 3, row, RankOrder::kRowMajor, {}};
    const RandomSystem system(static_cast<std::int64_t>(n), kSeed);
    const std::vector<double> right = solve(*grid, one, kSeed, 1).value().x;
    for (const double factor : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
      std::vector<double> wrong = right;
      wrong.back() *= factor;
      EXPECT_GT(residual_of(*grid, Layout::of(one), system, wrong).scaled(), 16.0) << n << ", " << factor;
    }
  }
}

TEST(HplResidual, FailsOnASingularMatrixWithoutAHang) {
  const auto world = mpi::Communicator::world();
  const auto grid = ProcessGrid::make(world, {1, world.size()}, RankOrder::kRowMajor);
  const auto zero_column = [](LocalMatrix& matrix) {
    for (std::int64_t i = 0; i < 40; ++i) set(matrix, i, 11, 0.0);
  };
  const Residual residual = spoiled_residual(*grid, true, zero_column, [](LocalMatrix&) {});
  EXPECT_FALSE(residual.scaled() <= 16.0) << "not a number, and so no pass";
}

TEST(Hpl, SolvesWithEveryPanelFactorization) {
  const Grid grid{mpi::Communicator::world().size() > 1 ? 2 : 1, 1};
  for (const auto base :
       {PanelFactorization::kLeft, PanelFactorization::kCrout, PanelFactorization::kRight}) {
    for (const auto recursion :
         {PanelFactorization::kLeft, PanelFactorization::kCrout, PanelFactorization::kRight}) {
      HplCase one{25, 19, grid, RankOrder::kRowMajor, {}};
      one.method.panel = base;
      one.method.recursion = recursion;
      one.method.recursion_stop = 3;
      one.method.recursion_parts = base == PanelFactorization::kLeft ? 3 : 2;
      SCOPED_TRACE("base " + std::to_string(static_cast<int>(base)) + ", recursion " +
                   std::to_string(static_cast<int>(recursion)));
      expect_solved(one);
    }
  }
}

TEST(Hpl, SolvesWithEveryBroadcastAndDepth) {
  for (int kind = 0; kind < 6; ++kind) {
    for (const int depth : {0, 1, 2, 5, 20}) {
      HplCase one{41, 4, {1, mpi::Communicator::world().size()}, RankOrder::kRowMajor, {}};
      one.method.broadcast = static_cast<PanelBroadcast>(kind);
      one.method.look_ahead = depth;
      SCOPED_TRACE("broadcast " + std::to_string(kind) + ", depth " + std::to_string(depth));
      expect_solved(one);
    }
  }
}

TEST(Hpl, SolvesWithALookAheadOverSeveralRowsOfTheGrid) {
  for (const Grid& grid : grids_of(mpi::Communicator::world().size())) {
    for (const int depth : {0, 2, 3}) {
      HplCase one{19, 3, grid, RankOrder::kRowMajor, {}};
      one.method.look_ahead = depth;
      SCOPED_TRACE(name_of(one) + ", depth " + std::to_string(depth));
      if (is_cheap(one)) expect_solved(one);
    }
  }
}

TEST(Hpl, HasAsManyPanelsUnderWayAsTheLookAheadIsDeep) {
  const auto world = mpi::Communicator::world();
  const auto grid = ProcessGrid::make(world, {1, world.size()}, RankOrder::kRowMajor);
  HplCase one{32, 4, {1, world.size()}, RankOrder::kRowMajor, {}};
  one.method.look_ahead = 3;
  LocalMatrix matrix = LocalMatrix::make(*grid, one).value();
  Workspace workspace = Workspace::make(*grid, one, matrix, {1, false}).value();
  matrix.fill(RandomSystem(32, kSeed));
  ThreadPool pool(1);
  Phases phases;
  factor(*grid, one.method, matrix, workspace, pool, phases);
  std::vector<std::int64_t> last;
  for (const Panel& panel : workspace.panels) last.push_back(panel.first());
  EXPECT_EQ(last, (std::vector<std::int64_t>{16, 20, 24, 28}));
}

TEST(GatherRows, BringsBlocksOfAnyLengthTogether) {
  const auto world = mpi::Communicator::world();
  std::vector<std::size_t> lengths;
  for (int rank = 0; rank < world.size(); ++rank) {
    lengths.push_back(rank % 3 == 1 ? 0 : static_cast<std::size_t>(5 * rank + 1));
  }
  const BlockPlaces places = BlockPlaces::folded(lengths);
  std::vector<double> expected(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}));
  std::iota(expected.begin(), expected.end(), 1.0);
  const BlockPlaces even = BlockPlaces::even(expected.size(), world.size());
  const auto own_only = [&] {
    std::vector<double> all(expected.size(), -1.0);
    const std::size_t begin = places.begin[static_cast<std::size_t>(world.rank())];
    std::copy_n(expected.begin() + static_cast<std::ptrdiff_t>(begin), places.of(all, world.rank()).size(),
                places.of(all, world.rank()).begin());
    return all;
  };
  std::vector<double> all = own_only();
  gather_by_exchange(world, places, all);
  EXPECT_EQ(all, expected) << "by exchange";
  all = own_only();
  gather_by_rolling(world, places, all);
  EXPECT_EQ(all, expected) << "by rolling";
  all = own_only();
  redistribute(world, places, even, all);
  const auto begin = static_cast<std::ptrdiff_t>(even.begin[static_cast<std::size_t>(world.rank())]);
  const auto mine = even.of(all, world.rank());
  EXPECT_TRUE(std::equal(mine.begin(), mine.end(), expected.begin() + begin)) << "redistributed";
  gather_by_rolling(world, even, all);
  EXPECT_EQ(all, expected) << "equilibrated, by rolling";
}

TEST(BlockPlaces, DifferByOneWordAtMostWhereEven) {
  const BlockPlaces places = BlockPlaces::even(11, 4);
  EXPECT_EQ(places.begin, (std::vector<std::size_t>{0, 2, 5, 8}));
  EXPECT_EQ(places.length, (std::vector<std::size_t>{2, 3, 3, 3}));
}

TEST(Hpl, SolvesWithEveryRowSwapAndForm) {
  for (const auto swap : {RowSwap::kBinaryExchange, RowSwap::kSpreadRoll, RowSwap::kMix}) {
    for (const bool transposed : {false, true}) {
      HplCase one{13, 4, {mpi::Communicator::world().size(), 1}, RankOrder::kRowMajor, {}};
      one.method.equilibrate = transposed;
      one.method.swap = swap;
      one.method.swap_threshold = 6;
      one.method.lower_transposed = transposed;
      one.method.upper_transposed = !transposed;
      SCOPED_TRACE("swap " + std::to_string(static_cast<int>(swap)));
      expect_solved(one);
    }
  }
}

}  // namespace
}  // namespace groma::hpcc::hpl
