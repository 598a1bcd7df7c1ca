#include <gtest/gtest.h>

#include "hpcc/benchmark.hpp"
#include "hpcc/ptrans/exchange.hpp"
#include "hpcc/ptrans/matrices.hpp"
#include "testing/collecting_sink.hpp"

namespace {

/// Made on this rank so far, by whatever is linked with these tests.
int communicators_made = 0;

}  // namespace

extern "C" int MPI_Comm_split(MPI_Comm all, int color, int key, MPI_Comm* made) {
  ++communicators_made;
  return PMPI_Comm_split(all, color, key, made);
}

extern "C" int MPI_Comm_split_type(MPI_Comm all, int type, int key, MPI_Info info, MPI_Comm* made) {
  ++communicators_made;
  return PMPI_Comm_split_type(all, type, key, info, made);
}

extern "C" int MPI_Comm_dup(MPI_Comm all, MPI_Comm* made) {
  ++communicators_made;
  return PMPI_Comm_dup(all, made);
}

namespace groma::hpcc {
namespace {

using mpi::Communicator;

/// All grids of at most so many ranks.
std::vector<Grid> grids_within(int ranks) {
  std::vector<Grid> grids;
  for (int rows = 1; rows <= ranks; ++rows) {
    for (int columns = 1; rows * columns <= ranks; ++columns) grids.push_back({rows, columns});
  }
  return grids;
}

/// A and C of the whole grid by columns, one behind the other, on each of its ranks.
std::vector<double> gathered(const Communicator& grid, const PtransCase& of, const PtransMatrices& matrices) {
  const Layout layout(of);
  const int self = grid.rank();
  std::vector<double> whole(2 * of.n * of.n, 0.0);
  for (std::uint64_t at = 0; at < of.n * of.n; ++at) {
    const std::uint64_t i = at % of.n;
    const std::uint64_t j = at / of.n;
    const bool here = i / of.nb % layout.rows().parts() == layout.row_of(self) &&
                      j / of.nb % layout.columns().parts() == layout.column_of(self);
    if (!here) continue;
    const std::uint64_t row = layout.rows().local_start(i / of.nb) + i % of.nb;
    const std::uint64_t column = layout.columns().local_start(j / of.nb) + j % of.nb;
    whole[at] = matrices.a()[row + column * layout.stride(self)];
    whole[of.n * of.n + at] = matrices.c()[row + column * layout.stride(self)];
  }
  MPI_Allreduce(MPI_IN_PLACE, whole.data(), static_cast<int>(whole.size()), MPI_DOUBLE, MPI_SUM,
                grid.handle());
  return whole;
}

/// The definition, element by element.
std::vector<double> transposed_and_added(std::vector<double> a_and_c, std::uint64_t n) {
  for (std::uint64_t j = 0; j < n; ++j) {
    for (std::uint64_t i = 0; i < n; ++i) a_and_c[n * n + i + j * n] += a_and_c[j + i * n];
  }
  return a_and_c;
}

struct Way {
  Sharing sharing;
  std::uint32_t threads;
};

/// n and nb: less than a block, odd ones, blocks of one, whole blocks only.
constexpr std::array kSizes = {std::pair{1U, 4U}, std::pair{37U, 5U}, std::pair{61U, 20U}, std::pair{13U, 1U},
                               std::pair{48U, 8U}};

class PtransOnAllGrids : public ::testing::TestWithParam<Way> {
 protected:
  /// Steps that every test wants are few and asked of all at once: on a crowded machine each is dear.
  void check(const Communicator& grid, const PtransCase& one, PtransMatrices& matrices) {
    const Layout layout(one);
    const int self = grid.rank();
    matrices.fill(layout, self, elements);
    const std::uint64_t own = layout.local_rows(self) * layout.local_columns(self);
    EXPECT_EQ(matrices.mistakes(layout, self, elements).elements, own) << "before the exchange";
    const auto before = gathered(grid, one, matrices);
    const auto& readable = matrices.readable();
    PtransExchange(
        grid, layout,
        {{readable.begin(), readable.begin() + grid.size()}, matrices.c().data(), matrices.buffer()}, pool,
        transpose_variants().back().add)
        .run();
    const auto after = gathered(grid, one, matrices);
    EXPECT_EQ(after, transposed_and_added(before, one.n));
    EXPECT_EQ(matrices.mistakes(layout, self, elements).elements, 0U);
    if (own > 0) find_wrong_element(layout, self, matrices);
  }

  void find_wrong_element(const Layout& layout, int self, PtransMatrices& matrices) {
    double& corner = matrices.c()[layout.local_elements(self) - layout.stride(self)];
    corner += 0x1p-32;
    const auto mistakes = matrices.mistakes(layout, self, elements);
    EXPECT_EQ(mistakes.elements, 1U);
    EXPECT_EQ(mistakes.farthest.value(), 0x1p-32);
    corner = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(matrices.mistakes(layout, self, elements).farthest.value(),
              std::numeric_limits<double>::infinity());
  }

  const Communicator world = Communicator::world();
  ThreadPool pool{GetParam().threads};
  Elements elements{11};
};

TEST_P(PtransOnAllGrids, AddsTheTransposeOfTheGatheredMatrixAndFindsWrongElements) {
  const std::vector<Grid> grids = grids_within(world.size());
  std::vector<Layout> layouts;
  for (const Grid& grid : grids) {
    for (const auto& [n, nb] : kSizes) layouts.emplace_back(PtransCase{n, nb, grid});
  }
  auto made = PtransMatrices::make(world, layouts, GetParam().sharing, pool);
  ASSERT_TRUE(made);
  PtransMatrices matrices = std::move(made).value();
  for (const Grid& grid : grids) {
    const auto part = world.split(world.rank() < grid.ranks() ? 0 : -1, world.rank());
    for (const auto& [n, nb] : kSizes) {
      SCOPED_TRACE(std::to_string(n) + "/" + std::to_string(nb) + " on " + std::to_string(grid.rows) + "x" +
                   std::to_string(grid.columns));
      if (part) check(*part, {n, nb, grid}, matrices);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PtransOnAllGrids,
                         ::testing::Values(Way{Sharing::kNodes, 1}, Way{Sharing::kNone, 3}),
                         [](const auto& way) {
                           return std::string(way.param.sharing == Sharing::kNodes ? "Shared" : "Messages") +
                                  "Threads" + std::to_string(way.param.threads);
                         });

TEST(Ptrans, MessagesInManyPiecesArriveWhole) {
  const auto world = Communicator::world();
  const Layout layout(PtransCase{700, 33, squarest_grid(world.size())});
  ThreadPool pool(1);
  auto made = PtransMatrices::make(world, {layout}, Sharing::kNone, pool);
  ASSERT_TRUE(made);
  PtransMatrices matrices = std::move(made).value();
  const Elements elements(3);
  matrices.fill(layout, world.rank(), elements);
  PtransExchange exchange(world, layout, {matrices.readable(), matrices.c().data(), matrices.buffer()}, pool,
                          transpose_variants().front().add);
  exchange.run();
  EXPECT_EQ(matrices.mistakes(layout, world.rank(), elements).elements, 0U);
  // And again with the same plan of messages.
  matrices.fill(layout, world.rank(), elements);
  exchange.run();
  EXPECT_EQ(matrices.mistakes(layout, world.rank(), elements).elements, 0U);
  world.barrier();
}

/// The benchmark as the suite runs it: several cases, some with idle ranks.
TEST(Ptrans, TellsTheBestCaseAndKeepsSamplesOfAll) {
  const auto world = Communicator::world();
  Plan plan;
  plan.effort.repetitions = 3;
  for (const Grid& grid : grids_within(world.size())) plan.ptrans.push_back({75, 8, grid});
  plan.ptrans.push_back({50, 64, {1, 1}});
  const SystemClock clock;
  const std::atomic<bool> cancelled = false;
  CollectingSink sink;
  const auto ran = Benchmarks::find("ptrans")->run(
      {{world, clock, cancelled, sink, plan.effort.repetitions, clock.now()}, plan});
  ASSERT_TRUE(ran);
  if (!world.is_root()) return;
  const Outcome& outcome = ran.value();
  EXPECT_EQ(outcome.checks.size(), plan.ptrans.size());
  for (const Check& check : outcome.checks) EXPECT_TRUE(check.passed()) << check.name;
  ASSERT_EQ(sink.values.size(), plan.ptrans.size());
  for (const auto& samples : sink.values) EXPECT_GE(samples.size(), 3U);
  std::map<std::string, double> summary;
  for (const SummaryEntry& one : outcome.summary) summary[one.key] = std::stod(one.value);
  ASSERT_EQ(summary.size(), 7U);
  EXPECT_EQ(summary["PTRANS_residual"], 0.0);
  const double n = summary["PTRANS_n"];
  EXPECT_NEAR(1e9 * summary["PTRANS_GBs"] * summary["PTRANS_time"] / (8.0 * n * n), 1.0, 1e-4);
  EXPECT_LE(summary["PTRANS_nprow"] * summary["PTRANS_npcol"], world.size());
}

/// Communicators that a run makes on this rank.
int made_by_run(const std::vector<PtransCase>& cases, std::uint32_t repetitions) {
  const auto world = Communicator::world();
  Plan plan;
  plan.effort.repetitions = repetitions;
  plan.ptrans = cases;
  const SystemClock clock;
  const std::atomic<bool> cancelled = false;
  CollectingSink sink;
  job::Measuring measuring{world, clock, cancelled, sink, repetitions, clock.now()};
  measuring.most = repetitions;
  const int before = communicators_made;
  EXPECT_TRUE(Benchmarks::find("ptrans")->run({measuring, plan}));
  return communicators_made - before;
}

/// MPI libraries have few communicators (MPICH 2048); those of a run would be used up one by one.
TEST(Ptrans, MakesNoCommunicatorForARepetition) {
  const std::vector<PtransCase> cases = {{40, 8, squarest_grid(Communicator::world().size())}};
  const int few = made_by_run(cases, 2);
  EXPECT_GT(few, 0);
  EXPECT_EQ(made_by_run(cases, 8), few);
}

TEST(Ptrans, HasOneCommunicatorForAllCasesOfAsManyRanks) {
  const int ranks = Communicator::world().size();
  const std::vector<PtransCase> one = {{40, 8, {1, ranks}}};
  const std::vector<PtransCase> several = {
      {40, 8, {1, ranks}}, {40, 8, {ranks, 1}}, {33, 4, {1, ranks}}, {20, 20, {ranks, 1}}};
  EXPECT_EQ(made_by_run(several, 2), made_by_run(one, 2));
}

}  // namespace
}  // namespace groma::hpcc
