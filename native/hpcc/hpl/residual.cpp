#include "hpcc/hpl/residual.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "job/worst_deviation.hpp"

namespace groma::hpcc::hpl {
namespace {

void sum_over(const mpi::Communicator& ranks, std::vector<double>& values) {
  const mpi::LargeCount large(values.size(), MPI_DOUBLE);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), large.count(), large.type(), MPI_SUM, ranks.handle());
}

/// The norm that is the largest magnitude; infinite where a value is no finite number.
job::WorstDeviation largest_of(const std::vector<double>& values) {
  job::WorstDeviation largest;
  for (const double value : values) largest.take(value);
  return largest;
}

/// What every rank was given of the solution must be one and the same: each uses another part of it here.
bool is_same_everywhere(const mpi::Communicator& ranks, const std::vector<double>& x) {
  std::vector<double> of_root = x;
  ranks.broadcast(std::span<double>(of_root));
  const auto same_bits = [](double one, double other) {
    return std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(other);
  };
  const bool same = std::ranges::equal(x, of_root, same_bits);
  return ranks.reduce_to_all(std::int32_t{same}, mpi::Reduction::kMin) != 0;
}

/// Infinite where either is no finite number: then nothing is known of the error.
double in_units_of(double bound, double remainder) {
  return std::isfinite(bound) ? job::WorstDeviation(remainder / bound).value()
                              : std::numeric_limits<double>::infinity();
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
  return in_units_of(kEpsilon * (a_inf * x_inf + b_inf) * static_cast<double>(n), remainder);
}

double Residual::scaled_by_sums() const {
  return in_units_of(kEpsilon * a_1 * x_1, remainder);
}

double Residual::scaled_by_order() const {
  return in_units_of(kEpsilon * a_1 * static_cast<double>(n), remainder);
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
  job::WorstDeviation remainder = largest_of(sums.products);
  if (!is_same_everywhere(grid.all(), x)) remainder.take(std::numeric_limits<double>::infinity());
  residual.remainder = remainder.over(grid.all());
  residual.a_inf = largest_of(sums.row_magnitudes).over(grid.all());
  residual.a_1 = largest_of(sums.column_magnitudes).over(grid.all());
  residual.b_inf = largest_of(b).over(grid.all());
  residual.x_inf = largest_of(x).over(grid.all());
  for (const double element : x) residual.x_1 += std::abs(element);
  return residual;
}

}  // namespace groma::hpcc::hpl
