// The one message of each column of a panel: which rank of a grid column has the largest element, its row,
// and the row that has to make place for it.
#pragma once

#include <vector>

#include "hpcc/hpl/panel.hpp"
#include "hpcc/hpl/panel_kernels.hpp"

namespace groma::hpcc::hpl {

class PivotExchange {
 public:
  /// For panels of at most `nb` columns. Not collective.
  PivotExchange(const mpi::Communicator& along_column, std::int64_t nb);
  ~PivotExchange();
  PivotExchange(const PivotExchange&) = delete;
  PivotExchange& operator=(const PivotExchange&) = delete;

  /// Collective over the grid column. Row j of the triangle becomes the pivot row of step j; row j of the
  /// diagonal block takes its place.
  void exchange(const Panel& panel, const LocalMatrix& matrix, std::int64_t j, const Candidate& mine);

 private:
  void exchange_alone(const Panel& panel, std::int64_t j, std::int64_t pivot);
  void write(const Panel& panel, const LocalMatrix& matrix, std::int64_t j, const Candidate& mine);

  const mpi::Communicator& along_column_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op choose_ = MPI_OP_NULL;
  std::vector<double> mine_;
  std::vector<double> chosen_;
};

}  // namespace groma::hpcc::hpl
