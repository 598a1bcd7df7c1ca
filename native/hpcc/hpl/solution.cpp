#include "hpcc/hpl/solution.hpp"

#include "hpcc/blas.hpp"
#include "hpcc/hpl/back_substitution.hpp"
#include "hpcc/hpl/factorization.hpp"

namespace groma::hpcc::hpl {
namespace {

struct Storage {
  LocalMatrix matrix;
  Workspace workspace;
};

Result<Storage> prepare(const ProcessGrid& grid, const HplCase& one, const WorkspaceOptions& options) {
  Result<LocalMatrix> matrix = LocalMatrix::make(grid, one);
  if (!matrix) return matrix.error();
  Result<Workspace> workspace = Workspace::make(grid, one, matrix.value(), options);
  if (!workspace) return workspace.error();
  if (const Status room = check_blas_room(options.threads); !room) return room.error();
  return Storage{std::move(matrix).value(), std::move(workspace).value()};
}

/// Whether all ranks of the grid have fast tiles; panels travel in one form. Collective.
bool agree_to_pack(const ProcessGrid& grid) {
  const double mine = panel_kernels().has_fast_tiles ? 1.0 : 0.0;
  return grid.all().reduce_to_all(mine, mpi::Reduction::kMin) == 1.0;
}

}  // namespace

double flops_of(std::uint64_t n) {
  const auto order = static_cast<double>(n);
  return 2.0 / 3.0 * order * order * order + 1.5 * order * order;
}

Result<Solution> solve(const ProcessGrid& grid, const HplCase& one, std::uint64_t seed,
                       std::uint32_t threads) {
  Result<Storage> storage = prepare(grid, one, {threads, agree_to_pack(grid)});
  const Status own = storage ? Status(Done{}) : Status(storage.error());
  if (const Status status = grid.all().agree(own); !status) return status.error();
  const RandomSystem system(static_cast<std::int64_t>(one.n), seed);
  LocalMatrix& matrix = storage.value().matrix;
  matrix.fill(system);

  Solution solution;
  Phases phases;
  ThreadPool pool(threads, Pinning::kNone);
  grid.all().barrier();
  const std::int64_t start = monotonic_ns();
  factor(grid, one.method, matrix, storage.value().workspace, pool, phases);
  {
    const PhaseTimer timer(phases.substitute);
    solution.x = substitute_back(grid, matrix);
  }
  const Seconds mine = between(start, monotonic_ns());
  solution.time = Seconds(grid.all().reduce_to_all(mine.value(), mpi::Reduction::kMax));
  const auto mine_by_phase = phases.seconds();
  MPI_Allreduce(mine_by_phase.data(), solution.phases.data(), static_cast<int>(mine_by_phase.size()),
                MPI_DOUBLE, MPI_MAX, grid.all().handle());
  solution.residual = residual_of(grid, matrix.layout(), system, solution.x);
  return solution;
}

}  // namespace groma::hpcc::hpl
