// The cheapest one-to-one assignment of rows to columns of a table of costs.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace groma::map {

/// Costs of giving a column to a row.
class CostTable {
 public:
  CostTable(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), costs_(rows * columns, 0.0) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return costs_[row * columns_ + column];
  }
  [[nodiscard]] double& at(std::size_t row, std::size_t column) { return costs_[row * columns_ + column]; }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> costs_;
};

/// The assignment of every row to a column of its own with the least sum of finite costs: shortest augmenting
/// paths (Jonker and Volgenant 1987). There are at least as many columns as rows.
class Assignment {
 public:
  explicit Assignment(const CostTable& costs);

  [[nodiscard]] double cost() const { return cost_; }
  /// What the cheapest assignment that gives `column` to `row` costs more, at the least.
  [[nodiscard]] double surplus(std::size_t row, std::size_t column) const {
    return costs_.at(row, column) - of_row_[row] - of_column_[column];
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// The shortest way from a row without a column to a column without a row.
  struct Path {
    explicit Path(std::size_t columns);
    std::vector<double> length;       ///< to each column
    std::vector<std::size_t> before;  ///< the column before it on the way, kNone for the first one
    std::vector<bool> is_reached;
  };

  void add(std::size_t row);
  std::size_t reach_next(Path& path, std::size_t row, std::size_t from, double length) const;

  const CostTable& costs_;
  std::vector<double> of_row_;     ///< dual prices; their sum is the cost
  std::vector<double> of_column_;  ///< at most 0, and 0 for a column without a row
  std::vector<std::size_t> row_at_;
  double cost_ = 0.0;
};

}  // namespace groma::map
