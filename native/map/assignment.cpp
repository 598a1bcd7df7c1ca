#include "map/assignment.hpp"

#include <utility>

namespace groma::map {

Assignment::Path::Path(std::size_t columns)
    : length(columns, std::numeric_limits<double>::infinity()),
      before(columns, kNone),
      is_reached(columns, false) {}

Assignment::Assignment(const CostTable& costs)
    : costs_(costs),
      of_row_(costs.rows(), 0.0),
      of_column_(costs.columns(), 0.0),
      row_at_(costs.columns(), kNone) {
  for (std::size_t row = 0; row < costs.rows(); ++row) add(row);
  for (std::size_t column = 0; column < costs.columns(); ++column) {
    if (row_at_[column] != kNone) cost_ += costs.at(row_at_[column], column);
  }
}

/// Gives `row` a column: rows on the shortest way to a free one hand theirs on.
void Assignment::add(std::size_t row) {
  Path path(costs_.columns());
  std::size_t end = reach_next(path, row, kNone, 0.0);
  while (row_at_[end] != kNone) end = reach_next(path, row_at_[end], end, path.length[end]);
  const double whole = path.length[end];
  of_row_[row] += whole;
  for (std::size_t column = 0; column < costs_.columns(); ++column) {
    if (!path.is_reached[column] || column == end) continue;
    of_column_[column] -= whole - path.length[column];
    of_row_[row_at_[column]] += whole - path.length[column];
  }
  while (end != kNone) {
    const std::size_t before = path.before[end];
    row_at_[end] = before == kNone ? row : row_at_[before];
    end = before;
  }
}

/// Goes on from `row`, which has the column `from` at the end of a way of this length; the nearest column.
std::size_t Assignment::reach_next(Path& path, std::size_t row, std::size_t from, double length) const {
  std::size_t nearest = kNone;
  for (std::size_t column = 0; column < costs_.columns(); ++column) {
    if (path.is_reached[column]) continue;
    const double by_row = length + surplus(row, column);
    if (by_row < path.length[column]) {
      path.length[column] = by_row;
      path.before[column] = from;
    }
    if (nearest == kNone || path.length[column] < path.length[nearest]) nearest = column;
  }
  path.is_reached[nearest] = true;
  return nearest;
}

}  // namespace groma::map
