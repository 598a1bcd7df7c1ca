#include "hpcc/hpl/residual.hpp"

#include <cmath>

namespace groma::hpcc::hpl {
namespace {

void sum_over(const mpi::Communicator& ranks, std::vector<double>& values) {
  const mpi::Extent extent(values.size(), MPI_DOUBLE);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), extent.count(), extent.type(), MPI_SUM, ranks.handle());
}

/// The largest, or NaN where there is one: a comparison would pass over it.
double largest_of(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    most = std::max(most, std::abs(value));
  }
  return most;
}

/// The same over ranks; what MPI makes of the maximum of NaNs is not defined.
double largest_over(const mpi::Communicator& ranks, double value) {
  return largest_of(ranks.gather_to_all(value));
}

/// Sums over this rank's part of A.
struct PartialSums {
  std::vector<double> row_magnitudes;
  std::vector<double> products;  ///< A x
  std::vector<double> column_magnitudes;

  void add(double element, std::size_t row, std::size_t column, double x) {
    row_magnitudes[row] += std::abs(element);
    products[row] += element * x;
    column_magnitudes[column] += std::abs(element);
  }
};

PartialSums partial_sums(const ProcessGrid& grid, const Layout& layout, const RandomSystem& system,
                         const std::vector<double>& x) {
  const auto rows = static_cast<std::size_t>(layout.rows.count(grid.my_row()));
  const std::int64_t columns = layout.columns.before(layout.rows.n, grid.my_column());
  PartialSums sums{std::vector<double>(rows), std::vector<double>(rows),
                   std::vector<double>(static_cast<std::size_t>(columns))};
  std::vector<double> elements(static_cast<std::size_t>(layout.rows.block));
  for (std::int64_t j = 0; j < columns; ++j) {
    const std::int64_t column = layout.columns.global(j, grid.my_column());
    for (std::size_t i = 0; i < rows; i += elements.size()) {
      const std::size_t count = std::min(elements.size(), rows - i);
      system.elements(layout.rows.global(static_cast<std::int64_t>(i), grid.my_row()),
                      static_cast<std::int64_t>(count), column, elements.data());
      for (std::size_t e = 0; e < count; ++e) {
        sums.add(elements[e], i + e, static_cast<std::size_t>(j), x[static_cast<std::size_t>(column)]);
      }
    }
  }
  return sums;
}

}  // namespace

double Residual::scaled() const {
  return remainder / (kEpsilon * (a_inf * x_inf + b_inf) * static_cast<double>(n));
}

double Residual::scaled_by_sums() const {
  return remainder / (kEpsilon * a_1 * x_1);
}

double Residual::scaled_by_order() const {
  return remainder / (kEpsilon * a_1 * static_cast<double>(n));
}

Residual residual_of(const ProcessGrid& grid, const Layout& layout, const RandomSystem& system,
                     const std::vector<double>& x) {
  PartialSums sums = partial_sums(grid, layout, system, x);
  sum_over(grid.along_row(), sums.row_magnitudes);
  sum_over(grid.along_row(), sums.products);
  sum_over(grid.along_column(), sums.column_magnitudes);
  std::vector<double> b(sums.products.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = system.element(layout.rows.global(static_cast<std::int64_t>(i), grid.my_row()), system.n());
    sums.products[i] -= b[i];
  }
  Residual residual;
  residual.n = system.n();
  residual.remainder = largest_over(grid.all(), largest_of(sums.products));
  residual.a_inf = largest_over(grid.all(), largest_of(sums.row_magnitudes));
  residual.a_1 = largest_over(grid.all(), largest_of(sums.column_magnitudes));
  residual.b_inf = largest_over(grid.all(), largest_of(b));
  residual.x_inf = largest_of(x);
  for (const double element : x) residual.x_1 += std::abs(element);
  return residual;
}

}  // namespace groma::hpcc::hpl
