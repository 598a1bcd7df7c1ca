#include "hpcc/hpl/process_grid.hpp"

#include <algorithm>

namespace groma::hpcc::hpl {

std::optional<ProcessGrid> ProcessGrid::make(const mpi::Communicator& world, const Grid& shape,
                                             RankOrder order) {
  const bool used = world.rank() < shape.ranks();
  std::optional<mpi::Communicator> all = world.split(used ? 0 : -1, world.rank());
  if (!all) return std::nullopt;
  const bool row_major = order == RankOrder::kRowMajor;
  const int row = row_major ? all->rank() / shape.columns : all->rank() % shape.rows;
  const int column = row_major ? all->rank() % shape.columns : all->rank() / shape.rows;
  std::optional<mpi::Communicator> along_row = all->split(row, column);
  std::optional<mpi::Communicator> along_column = all->split(column, row);
  return ProcessGrid(shape, std::move(*all), std::move(*along_row), std::move(*along_column));
}

const std::optional<ProcessGrid>& ProcessGrids::of(const mpi::Communicator& world, const HplCase& one) {
  const auto is_same = [&](const Made& made) { return made.shape == one.grid && made.order == one.order; };
  if (const auto found = std::ranges::find_if(made_, is_same); found != made_.end()) return found->grid;
  return made_.emplace_back(one.grid, one.order, ProcessGrid::make(world, one.grid, one.order)).grid;
}

}  // namespace groma::hpcc::hpl
