#include "hpcc/hpl/factorization.hpp"

#include <algorithm>
#include <atomic>

#include "hpcc/hpl/panel_factorization.hpp"
#include "hpcc/hpl/upper_solver.hpp"

namespace groma::hpcc::hpl {
namespace {

/// Columns that one thread exchanges, solves and multiplies at a time, and after which messages are looked
/// after. Wide enough that packing the panel anew for each strip costs dgemm little (measured: 512 loses 2
/// %), narrow enough to share among threads.
constexpr std::int64_t kStrip = 1024;
constexpr std::int64_t kNarrowest = 64;

/// Local columns [begin, end).
struct LocalColumns {
  std::int64_t begin;
  std::int64_t end;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

class Factorization {
 public:
  Factorization(const ProcessGrid& grid, const HplMethod& method, LocalMatrix& matrix, Workspace& workspace,
                Workers& workers, Phases& phases)
      : grid_(grid),
        method_(method),
        matrix_(matrix),
        rows_(workspace.rows),
        workers_(workers),
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
      begin_update(*now.panel, {local_column(next), matrix_.all().columns});
      if (next >= n_) {
        update(trailing_);
        break;
      }
      advance(now, stages_[(step + 1) % stages_.size()], next);
    }
    for (Stage& stage : stages_) stage.broadcast.finish();
  }

 private:
  struct Stage {
    Panel* panel;
    Broadcast broadcast;
  };

  /// One step: the trailing matrix is updated, and the next panel made meanwhile or afterwards.
  void advance(Stage& now, Stage& next, std::int64_t next_first) {
    if (&now == &next) {  // no look-ahead
      update(trailing_);
      prepare(next, next_first);
      produce(next);
      return;
    }
    prepare(next, next_first);
    const std::int64_t split = local_column(next_first + next.panel->width());
    update({trailing_.begin, split});
    start_update({split, trailing_.end});
    produce(next);
    under_way_ = &next.broadcast;
    finish_update();
    under_way_ = nullptr;
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

  /// What all strips of the trailing columns need: where rows go, and the triangle in a form to solve with. A
  /// grid of several rows exchanges all columns at once, as each exchange has its latency.
  void begin_update(const Panel& panel, LocalColumns trailing) {
    trailing_ = trailing;
    panel_ = &panel;
    moves_ = RowMoves::of(panel, matrix_.layout().rows);
    {
      const PhaseTimer timer(phases_.solve);
      solver_.prepare(panel.triangle());
    }
    if (grid_.rows() == 1 || trailing.count() == 0) return;
    const PhaseTimer timer(phases_.exchange);
    exchanged_ = rows_.apply(panel, moves_, all_rows(trailing));
  }

  void update(LocalColumns columns) {
    start_update(columns);
    finish_update();
  }

  /// From here on, helpers take strips.
  void start_update(LocalColumns columns) {
    next_strip_ = columns.begin;
    const auto threads = static_cast<std::int64_t>(workers_.size());
    const std::int64_t share = (columns.count() + threads - 1) / threads;
    // A few strips for each thread, so that the owner, who comes late, finds its fair part of them.
    const std::int64_t strip = std::clamp(threads == 1 ? share : share / 3, kNarrowest, kStrip);
    workers_.start([this, columns, strip](std::size_t thread) { take_strips(thread, columns, strip); });
  }

  void finish_update() { workers_.finish(); }

  void take_strips(std::size_t thread, LocalColumns columns, std::int64_t strip) {
    Phases unseen;  // those of the owner thread are told
    for (std::int64_t at; (at = next_strip_.fetch_add(strip)) < columns.end;) {
      update_strip(thread, {at, std::min(at + strip, columns.end)}, thread == 0 ? phases_ : unseen);
      if (thread != 0 || under_way_ == nullptr) continue;
      const PhaseTimer timer(phases_.broadcast);
      under_way_->progress();
    }
  }

  /// U := L1^-1 of the pivot rows, and what is below less L2 U.
  void update_strip(std::size_t thread, LocalColumns strip, Phases& phases) {
    const Oriented rows = pivot_rows(thread, strip, phases);
    const Matrix upper = place_of_upper(strip);
    {
      const PhaseTimer timer(phases.solve);
      solver_.solve(rows, upper);
    }
    const PhaseTimer timer(phases.multiply);
    const Matrix below = panel_->below();
    const Matrix all = all_rows(strip);
    subtract_product({below}, {upper}, {all.part(all.rows - below.rows, 0, below.rows, all.columns)});
  }

  Oriented pivot_rows(std::size_t thread, LocalColumns strip, Phases& phases) {
    if (grid_.rows() > 1) {
      return exchanged_.part(0, strip.begin - trailing_.begin, exchanged_.rows(), strip.count());
    }
    const PhaseTimer timer(phases.exchange);
    return rows_.apply_alone(thread, *panel_, moves_, all_rows(strip));
  }

  /// In the matrix, where this rank has the rows of the diagonal block.
  [[nodiscard]] Matrix place_of_upper(LocalColumns strip) const {
    if (panel_->has_top()) {
      return all_rows(strip).part(matrix_.rows_before(panel_->first()), 0, panel_->width(), strip.count());
    }
    return rows_.spare(panel_->width(), trailing_.count())
        .part(0, strip.begin - trailing_.begin, panel_->width(), strip.count());
  }

  [[nodiscard]] Matrix all_rows(LocalColumns columns) const {
    return matrix_.all().part(0, columns.begin, matrix_.all().rows, columns.count());
  }

  [[nodiscard]] std::int64_t local_column(std::int64_t global) const {
    return matrix_.columns_before(global);
  }

  const ProcessGrid& grid_;
  const HplMethod& method_;
  LocalMatrix& matrix_;
  RowExchange& rows_;
  Workers& workers_;
  Phases& phases_;
  PivotExchange pivots_;
  std::int64_t n_;
  std::vector<Stage> stages_;

  // Of the update that is under way.
  const Panel* panel_ = nullptr;
  LocalColumns trailing_{};
  RowMoves moves_;
  UpperSolver solver_;
  Oriented exchanged_{};  ///< pivot rows of all trailing columns, on a grid of several rows
  std::atomic<std::int64_t> next_strip_{0};
  Broadcast* under_way_ = nullptr;
};

}  // namespace

Result<Workspace> Workspace::make(const ProcessGrid& grid, const HplCase& one, const LocalMatrix& matrix,
                                  std::size_t threads) {
  std::vector<Panel> panels;
  for (int i = 0; i < (one.method.look_ahead > 0 ? 2 : 1); ++i) {
    Result<Panel> panel = Panel::make(matrix, one);
    if (!panel) return panel.error();
    panels.push_back(std::move(panel).value());
  }
  const std::int64_t columns =
      grid.rows() == 1 ? std::min(kStrip, matrix.all().columns) : matrix.all().columns;
  Result<RowExchange> rows = RowExchange::make(grid, one, columns, threads);
  if (!rows) return rows.error();
  return Workspace(std::move(panels), std::move(rows).value());
}

void factor(const ProcessGrid& grid, const HplMethod& method, LocalMatrix& matrix, Workspace& workspace,
            Workers& workers, Phases& phases) {
  Factorization(grid, method, matrix, workspace, workers, phases).run();
}

}  // namespace groma::hpcc::hpl
