// The ranks of a case as a P x Q grid, with a communicator along each row and column.
#pragma once

#include <deque>
#include <optional>

#include "hpcc/hpl/distribution.hpp"
#include "hpcc/plan.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc::hpl {

class ProcessGrid {
 public:
  /// Collective over `world`. None on ranks beyond the first P * Q.
  static std::optional<ProcessGrid> make(const mpi::Communicator& world, const Grid& shape, RankOrder order);

  [[nodiscard]] int rows() const { return shape_.rows; }
  [[nodiscard]] int columns() const { return shape_.columns; }
  [[nodiscard]] int my_row() const { return along_column_.rank(); }
  [[nodiscard]] int my_column() const { return along_row_.rank(); }
  /// All ranks of the grid.
  [[nodiscard]] const mpi::Communicator& all() const { return all_; }
  /// Ranks of this row of the grid, by their column.
  [[nodiscard]] const mpi::Communicator& along_row() const { return along_row_; }
  /// Ranks of this column of the grid, by their row.
  [[nodiscard]] const mpi::Communicator& along_column() const { return along_column_; }

 private:
  ProcessGrid(Grid shape, mpi::Communicator all, mpi::Communicator along_row, mpi::Communicator along_column)
      : shape_(shape),
        all_(std::move(all)),
        along_row_(std::move(along_row)),
        along_column_(std::move(along_column)) {}

  Grid shape_;
  mpi::Communicator all_;
  mpi::Communicator along_row_;
  mpi::Communicator along_column_;
};

/// The grids of many cases, of which equal ones are made once: MPI libraries have few communicators (MPICH
/// 2048), and an HPL.dat as its package brings it has 864 cases.
class ProcessGrids {
 public:
  /// Collective over `world` where the grid is new. None on ranks beyond it. Valid while this lives.
  const std::optional<ProcessGrid>& of(const mpi::Communicator& world, const HplCase& one);

 private:
  struct Made {
    Grid shape;
    RankOrder order;
    std::optional<ProcessGrid> grid;
  };
  std::deque<Made> made_;
};

}  // namespace groma::hpcc::hpl
