#include "hpcc/hpl/panel_factorization.hpp"

#include "hpcc/hpl/panel_kernels.hpp"

namespace groma::hpcc::hpl {
namespace {

/// Columns [begin, end) of the panel.
struct Columns {
  std::int64_t begin;
  std::int64_t end;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

class Factoring {
 public:
  Factoring(const Panel& panel, const LocalMatrix& matrix, const HplMethod& method, PivotExchange& pivots)
      : panel_(panel), matrix_(matrix), method_(method), pivots_(pivots), triangle_(panel.triangle()) {}

  void run() { recurse({0, panel_.width()}); }

 private:
  void recurse(Columns columns) {
    const auto stop = static_cast<std::int64_t>(std::max<std::uint64_t>(method_.recursion_stop, 1));
    if (columns.count() <= stop) {
      base(columns);
      return;
    }
    const auto parts = static_cast<std::int64_t>(std::max<std::uint64_t>(method_.recursion_parts, 2));
    // Parts are whole multiples of the base, so that the last level of the recursion is full.
    const std::int64_t bases = (columns.count() + stop - 1) / stop;
    const std::int64_t width = (bases + parts - 1) / parts * stop;
    for (std::int64_t begin = columns.begin; begin < columns.end; begin += width) {
      const Columns part{begin, std::min(begin + width, columns.end)};
      before_part(columns, part);
      recurse(part);
      after_part(columns, part);
    }
  }

  /// What columns of `all` to the left of the part owe to it.
  void before_part(Columns all, Columns part) {
    const Columns left{all.begin, part.begin};
    if (method_.recursion == Looking::kRight || left.count() == 0) return;
    if (method_.recursion == Looking::kLeft) solve(left, part);
    update_rows(left, part);
  }

  /// What the part owes to columns of `all` to its right.
  void after_part(Columns all, Columns part) {
    const Columns left{all.begin, part.begin};
    const Columns right{part.end, all.end};
    if (method_.recursion == Looking::kLeft || right.count() == 0) return;
    if (method_.recursion == Looking::kCrout && left.count() > 0) {
      subtract_product(block(part, left), block(left, right), block(part, right));
    }
    solve(part, right);
    if (method_.recursion == Looking::kRight) update_rows(part, right);
  }

  void base(Columns columns) {
    if (method_.panel == Looking::kRight) {
      base_right(columns);
    } else {
      base_left(columns);
    }
  }

  /// Each column is taken out of those after it at once.
  void base_right(Columns columns) {
    Candidate next = kernels_.largest(active_column(columns.begin, columns.begin), active(columns.begin));
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      choose_pivot(j, next);
      const Columns right{j + 1, columns.end};
      const double* factors = right.count() == 0 ? nullptr : &triangle_(j, j + 1);
      next = kernels_.eliminate(active_column(j + 1, j), reciprocal(j), {factors, triangle_.column_step()},
                                active_part(j + 1, right));
    }
  }

  /// Each column catches up with those before it, and in Crout's form the row of its pivot, too.
  void base_left(Columns columns) {
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      choose_pivot(j, catch_up(columns, j));
      if (method_.panel == Looking::kCrout) update_row(columns, j);
      kernels_.eliminate(active_column(j + 1, j), reciprocal(j), {nullptr, 0},
                         active_part(j + 1, {j + 1, j + 1}));
    }
  }

  Candidate catch_up(Columns columns, std::int64_t j) {
    const Columns left{columns.begin, j};
    if (left.count() == 0) return kernels_.largest(active_column(j, j), active(j));
    if (method_.panel == Looking::kLeft) solve(left, {j, j + 1});
    return kernels_.subtract_columns(active_part(j, left), {&triangle_(left.begin, j), triangle_.row_step()},
                                     active_column(j, j));
  }

  void choose_pivot(std::int64_t j, Candidate mine) {
    if (mine.local_row >= 0) mine.local_row += retired(j);
    pivots_.exchange(panel_, matrix_, j, mine);
  }

  /// What makes multipliers of column j. A zero column, that of a singular matrix, stays; the reciprocal of a
  /// subnormal pivot overflows, and so would its multipliers be worthless.
  [[nodiscard]] double reciprocal(std::int64_t j) const {
    const double pivot = triangle_(j, j);
    return pivot == 0.0 ? 1.0 : 1.0 / pivot;
  }

  /// Crout: row j of U catches up.
  void update_row(Columns columns, std::int64_t j) {
    const Columns left{columns.begin, j};
    const Columns right{j + 1, columns.end};
    if (left.count() == 0 || right.count() == 0) return;
    subtract_product(block({j, j + 1}, left), block(left, right), block({j, j + 1}, right));
  }

  /// Rows `done` of U in `columns`, from their pivot rows.
  void solve(Columns done, Columns columns) { solve_unit_lower(block(done, done), block(done, columns)); }

  /// Rows that are no pivots yet, in `columns`, less what columns `done` contribute.
  void update_rows(Columns done, Columns columns) {
    const Matrix below = active_part(done.end, done);
    subtract_product({below}, block(done, columns), {active_part(done.end, columns)});
  }

  [[nodiscard]] MatrixView block(Columns rows, Columns columns) const {
    return triangle_.part(rows.begin, columns.begin, rows.count(), columns.count());
  }
  /// Local rows that have become pivots, or made place for them, after `steps` columns.
  [[nodiscard]] std::int64_t retired(std::int64_t steps) const { return panel_.has_top() ? steps : 0; }
  [[nodiscard]] std::int64_t active(std::int64_t steps) const { return panel_.rows().rows - retired(steps); }
  [[nodiscard]] double* active_column(std::int64_t steps, std::int64_t j) const {
    return panel_.rows().at(retired(steps), j);
  }
  [[nodiscard]] Matrix active_part(std::int64_t steps, Columns columns) const {
    return panel_.rows().part(retired(steps), columns.begin, active(steps), columns.count());
  }

  using Looking = PanelFactorization;

  const Panel& panel_;
  const LocalMatrix& matrix_;
  const HplMethod& method_;
  PivotExchange& pivots_;
  MatrixView triangle_;
  const PanelKernels& kernels_ = panel_kernels();
};

}  // namespace

void factor_panel(const Panel& panel, const LocalMatrix& matrix, const HplMethod& method,
                  PivotExchange& pivots) {
  Factoring(panel, matrix, method, pivots).run();
}

}  // namespace groma::hpcc::hpl
