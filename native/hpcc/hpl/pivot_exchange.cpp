#include "hpcc/hpl/pivot_exchange.hpp"

#include <algorithm>

namespace groma::hpcc::hpl {
namespace {

// Words of the message: magnitude, global row, whether the row of the diagonal block is there, then both
// rows.
constexpr std::size_t kMagnitude = 0;
constexpr std::size_t kRow = 1;
constexpr std::size_t kHasTop = 2;
constexpr std::size_t kRows = 4;

/// Of two equal magnitudes the upper row wins, so that every order of reduction chooses the same one.
bool beats(const double* a, const double* b) {
  return a[kMagnitude] > b[kMagnitude] || (a[kMagnitude] == b[kMagnitude] && a[kRow] < b[kRow]);
}

void choose(void* in, void* in_out, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const std::size_t words = static_cast<std::size_t>(bytes) / sizeof(double);
  const std::size_t nb = (words - kRows) / 2;
  for (int i = 0; i < *count; ++i) {
    const double* from = static_cast<const double*>(in) + static_cast<std::size_t>(i) * words;
    double* to = static_cast<double*>(in_out) + static_cast<std::size_t>(i) * words;
    if (beats(from, to)) {
      std::copy_n(from, kHasTop, to);
      std::copy_n(from + kRows, nb, to + kRows);
    }
    if (from[kHasTop] != 0.0) {
      to[kHasTop] = 1.0;
      std::copy_n(from + kRows + nb, nb, to + kRows + nb);
    }
  }
}

void read_row(const Matrix& rows, std::int64_t row, double* out) {
  for (std::int64_t c = 0; c < rows.columns; ++c) out[c] = *rows.at(row, c);
}

void write_row(const double* from, const Matrix& rows, std::int64_t row) {
  for (std::int64_t c = 0; c < rows.columns; ++c) *rows.at(row, c) = from[c];
}

}  // namespace

PivotExchange::PivotExchange(const mpi::Communicator& along_column, std::int64_t nb)
    : along_column_(along_column), mine_(kRows + 2 * static_cast<std::size_t>(nb)), chosen_(mine_.size()) {
  MPI_Type_contiguous(static_cast<int>(mine_.size()), MPI_DOUBLE, &type_);
  MPI_Type_commit(&type_);
  MPI_Op_create(choose, 1, &choose_);
}

PivotExchange::~PivotExchange() {
  MPI_Op_free(&choose_);
  MPI_Type_free(&type_);
}

void PivotExchange::exchange(const Panel& panel, const LocalMatrix& matrix, std::int64_t j,
                             const Candidate& mine) {
  if (along_column_.size() == 1) {
    exchange_alone(panel, j, mine.local_row);
    return;
  }
  write(panel, matrix, j, mine);
  MPI_Allreduce(mine_.data(), chosen_.data(), 1, type_, choose_, along_column_.handle());
  const std::size_t nb = (mine_.size() - kRows) / 2;
  const double* pivot = chosen_.data() + kRows;
  for (std::int64_t c = 0; c < panel.width(); ++c) panel.triangle()(j, c) = pivot[c];
  panel.pivots()[static_cast<std::size_t>(j)] = chosen_[kRow];
  const auto row = static_cast<std::int64_t>(chosen_[kRow]);
  if (matrix.layout().rows.owner(row) != matrix.my_row()) return;
  write_row(pivot + nb, panel.rows(), matrix.layout().rows.local(row) - matrix.rows_before(panel.first()));
}

void PivotExchange::write(const Panel& panel, const LocalMatrix& matrix, std::int64_t j,
                          const Candidate& mine) {
  const std::size_t nb = (mine_.size() - kRows) / 2;
  const std::int64_t first_row = matrix.rows_before(panel.first());
  mine_[kMagnitude] = mine.magnitude;
  mine_[kHasTop] = panel.has_top() ? 1.0 : 0.0;
  if (mine.local_row >= 0) {
    mine_[kRow] =
        static_cast<double>(matrix.layout().rows.global(first_row + mine.local_row, matrix.my_row()));
    read_row(panel.rows(), mine.local_row, mine_.data() + kRows);
  }
  if (panel.has_top()) read_row(panel.rows(), j, mine_.data() + kRows + nb);
}

void PivotExchange::exchange_alone(const Panel& panel, std::int64_t j, std::int64_t pivot) {
  const Matrix rows = panel.rows();
  const MatrixView triangle = panel.triangle();
  for (std::int64_t c = 0; c < panel.width(); ++c) {
    triangle(j, c) = *rows.at(pivot, c);
    *rows.at(pivot, c) = *rows.at(j, c);
  }
  panel.pivots()[static_cast<std::size_t>(j)] = static_cast<double>(panel.first() + pivot);
}

}  // namespace groma::hpcc::hpl
