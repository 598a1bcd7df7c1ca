#include "hpcc/hpl/factorization.hpp"

#include <optional>

#include "hpcc/hpl/panel_factorization.hpp"

namespace groma::hpcc::hpl {
namespace {

/// Columns that are exchanged, solved and multiplied while they are in the cache, and after which messages
/// are looked after. Wide enough that packing the panel anew for each strip costs dgemm little.
constexpr std::int64_t kStrip = 512;

/// Local columns [begin, end).
struct LocalColumns {
  std::int64_t begin;
  std::int64_t end;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

class Factorization {
 public:
  Factorization(const ProcessGrid& grid, const HplMethod& method, LocalMatrix& matrix, Workspace& workspace,
                Phases& phases)
      : grid_(grid),
        method_(method),
        matrix_(matrix),
        rows_(workspace.rows),
        phases_(phases),
        pivots_(grid.along_column(), matrix.layout().rows.block),
        n_(matrix.layout().rows.n) {
    for (Panel& panel : workspace.panels) stages_.push_back({&panel, {}});
  }

  void run() {
    prepare(stages_.front(), 0);
    produce(stages_.front());
    for (std::size_t step = 0;; ++step) {
      Stage& now = stages_[step % stages_.size()];
      const std::int64_t next = now.panel->first() + now.panel->width();
      receive(now);
      const RowMoves moves = RowMoves::of(*now.panel, matrix_.layout().rows);
      if (next >= n_) {
        update(now, moves, {local_column(next), matrix_.all().columns});
        break;
      }
      advance(now, stages_[(step + 1) % stages_.size()], moves, next);
    }
    for (Stage& stage : stages_) stage.broadcast.finish();
  }

 private:
  struct Stage {
    Panel* panel;
    Broadcast broadcast;
  };

  /// One step: the trailing matrix is updated, and the next panel made on the way or afterwards.
  void advance(Stage& now, Stage& next, const RowMoves& moves, std::int64_t next_first) {
    const LocalColumns trailing{local_column(next_first), matrix_.all().columns};
    if (&now == &next) {  // no look-ahead
      update(now, moves, trailing);
      prepare(next, next_first);
      produce(next);
      return;
    }
    prepare(next, next_first);
    const LocalColumns first{trailing.begin, local_column(next_first + next.panel->width())};
    update(now, moves, first);
    produce(next);
    sent_ahead_ = &next.broadcast;
    update(now, moves, {first.end, trailing.end});
    sent_ahead_ = nullptr;
  }

  void prepare(Stage& stage, std::int64_t first) {
    const PhaseTimer timer(phases_.broadcast);
    stage.broadcast.finish();
    stage.panel->begin(matrix_, first);
  }

  /// Factors the panel where it lies and sends it on its way.
  void produce(Stage& stage) {
    const Panel& panel = *stage.panel;
    if (panel.owner_column() == grid_.my_column()) {
      const PhaseTimer timer(phases_.panel);
      load(panel);
      factor_panel(panel, matrix_, method_, pivots_);
      if (panel.has_top()) store_triangle(panel);
    }
    const PhaseTimer timer(phases_.broadcast);
    stage.broadcast = Broadcast(grid_.along_row(), method_.broadcast, panel.owner_column(), panel.message());
  }

  void receive(Stage& stage) {
    const PhaseTimer timer(phases_.broadcast);
    stage.broadcast.receive();
  }

  /// The panel's columns of the matrix, as far as they have been updated.
  [[nodiscard]] Matrix home(const Panel& panel) const {
    return matrix_.all().part(matrix_.rows_before(panel.first()), local_column(panel.first()),
                              panel.rows().rows, panel.width());
  }

  void load(const Panel& panel) const {
    const Matrix from = home(panel);
    for (std::int64_t j = 0; j < from.columns; ++j) {
      std::copy_n(from.at(0, j), from.rows, panel.rows().at(0, j));
    }
  }

  /// U of the diagonal block, for back substitution.
  void store_triangle(const Panel& panel) const {
    const Matrix to = home(panel);
    for (std::int64_t j = 0; j < panel.width(); ++j) {
      for (std::int64_t i = 0; i <= j; ++i) *to.at(i, j) = panel.triangle()(i, j);
    }
  }

  void update(const Stage& stage, const RowMoves& moves, LocalColumns columns) {
    if (grid_.rows() > 1) {
      if (columns.count() == 0) return;  // the same on all ranks that exchange
      const Oriented upper = exchange(*stage.panel, moves, columns);
      for_strips(columns, [&](LocalColumns strip) {
        apply(*stage.panel, upper.part(0, strip.begin - columns.begin, upper.rows(), strip.count()), strip);
      });
      return;
    }
    for_strips(columns,
               [&](LocalColumns strip) { apply(*stage.panel, exchange(*stage.panel, moves, strip), strip); });
  }

  template <class Work>
  void for_strips(LocalColumns columns, const Work& work) {
    for (std::int64_t begin = columns.begin; begin < columns.end; begin += kStrip) {
      work({begin, std::min(begin + kStrip, columns.end)});
      if (sent_ahead_ == nullptr) continue;
      const PhaseTimer timer(phases_.broadcast);
      sent_ahead_->progress();
    }
  }

  Oriented exchange(const Panel& panel, const RowMoves& moves, LocalColumns columns) {
    const PhaseTimer timer(phases_.exchange);
    return rows_.apply(panel, moves,
                       matrix_.all().part(0, columns.begin, matrix_.all().rows, columns.count()));
  }

  /// U := L1^-1 U, and what is below less L2 U.
  void apply(const Panel& panel, const Oriented& upper, LocalColumns columns) {
    {
      const PhaseTimer timer(phases_.solve);
      solve_unit_lower(panel.triangle(), upper);
    }
    const std::int64_t top = matrix_.rows_before(panel.first());
    if (panel.has_top()) {
      const PhaseTimer timer(phases_.exchange);
      store_upper(upper, matrix_.all().part(top, columns.begin, panel.width(), columns.count()));
    }
    const PhaseTimer timer(phases_.multiply);
    const Matrix below = panel.below();
    subtract_product(
        {below}, upper,
        {matrix_.all().part(matrix_.all().rows - below.rows, columns.begin, below.rows, columns.count())});
  }

  [[nodiscard]] std::int64_t local_column(std::int64_t global) const {
    return matrix_.columns_before(global);
  }

  const ProcessGrid& grid_;
  const HplMethod& method_;
  LocalMatrix& matrix_;
  RowExchange& rows_;
  Phases& phases_;
  PivotExchange pivots_;
  std::int64_t n_;
  std::vector<Stage> stages_;
  Broadcast* sent_ahead_ = nullptr;
};

}  // namespace

Result<Workspace> Workspace::make(const ProcessGrid& grid, const HplCase& one, const LocalMatrix& matrix) {
  std::vector<Panel> panels;
  for (int i = 0; i < (one.method.look_ahead > 0 ? 2 : 1); ++i) {
    Result<Panel> panel = Panel::make(matrix, one);
    if (!panel) return panel.error();
    panels.push_back(std::move(panel).value());
  }
  const std::int64_t columns =
      grid.rows() == 1 ? std::min(kStrip, matrix.all().columns) : matrix.all().columns;
  Result<RowExchange> rows = RowExchange::make(grid, one, columns);
  if (!rows) return rows.error();
  return Workspace(std::move(panels), std::move(rows).value());
}

void factor(const ProcessGrid& grid, const HplMethod& method, LocalMatrix& matrix, Workspace& workspace,
            Phases& phases) {
  Factorization(grid, method, matrix, workspace, phases).run();
}

}  // namespace groma::hpcc::hpl
