#include "hpcc/hpl/solution.hpp"

#include "hpcc/hpl/back_substitution.hpp"
#include "hpcc/hpl/factorization.hpp"

namespace groma::hpcc::hpl {
namespace {

struct Prepared {
  LocalMatrix matrix;
  Workspace workspace;
};

Result<Prepared> prepare(const ProcessGrid& grid, const HplCase& one) {
  Result<LocalMatrix> matrix = LocalMatrix::make(grid, one);
  if (!matrix) return matrix.error();
  Result<Workspace> workspace = Workspace::make(grid, one, matrix.value());
  if (!workspace) return workspace.error();
  return Prepared{std::move(matrix).value(), std::move(workspace).value()};
}

}  // namespace

double flops_of(std::uint64_t n) {
  const auto order = static_cast<double>(n);
  return 2.0 / 3.0 * order * order * order + 1.5 * order * order;
}

Result<Solution> solve(const ProcessGrid& grid, const HplCase& one, std::uint64_t seed) {
  Result<Prepared> prepared = prepare(grid, one);
  const Status own = prepared ? Status(Done{}) : Status(prepared.error());
  if (const Status status = grid.all().agree(own); !status) return status.error();
  const RandomSystem system(static_cast<std::int64_t>(one.n), seed);
  LocalMatrix& matrix = prepared.value().matrix;
  matrix.fill(system);

  Solution solution;
  grid.all().barrier();
  const std::int64_t start = monotonic_ns();
  factor(grid, one.method, matrix, prepared.value().workspace, solution.phases);
  {
    const PhaseTimer timer(solution.phases.substitute);
    solution.x = substitute_back(grid, matrix);
  }
  const Seconds mine = between(start, monotonic_ns());
  solution.time = Seconds(grid.all().reduce_to_all(mine.value(), mpi::Reduction::kMax));
  solution.residual = residual_of(grid, matrix.layout(), system, solution.x);
  return solution;
}

}  // namespace groma::hpcc::hpl
