#include "hpcc/hpl/factorization.hpp"

#include <algorithm>
#include <atomic>

#include "hpcc/hpl/panel_factorization.hpp"
#include "hpcc/hpl/upper_solver.hpp"

namespace groma::hpcc::hpl {
namespace {

// The packed L is read anew for each strip, so few wide ones are better than many narrow ones, as long as all
// threads have some.
constexpr std::int64_t kNarrowestStrip = 64;

/// Local columns [begin, end).
struct LocalColumns {
  std::int64_t begin;
  std::int64_t end;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

/// A panel on its way, and what columns right of it need of it: where rows go, and the triangle in a form to
/// solve with.
struct Stage {
  Panel* panel;
  Broadcast broadcast = {};
  bool received = false;
  RowMoves moves = {};
  UpperSolver solver = {};                   ///< where L is not packed
  std::vector<double> packed_triangle = {};  ///< where it is
};

/// What a panel does to columns right of it. On a grid of several rows their rows have been exchanged.
struct Update {
  const Stage* stage;
  LocalColumns columns;
  RowExchange* rows;
  MatrixView exchanged = {};  ///< pivot rows of all of the columns
};

class Factorization {
 public:
  Factorization(const ProcessGrid& grid, const HplMethod& method, LocalMatrix& matrix, Workspace& workspace,
                ThreadPool& pool, Phases& phases)
      : grid_(grid),
        method_(method),
        matrix_(matrix),
        workspace_(workspace),
        pool_(pool),
        phases_(phases),
        pivots_(grid.along_column(), matrix.layout().rows.block),
        n_(matrix.layout().rows.n),
        count_((n_ + matrix.layout().rows.block - 1) / matrix.layout().rows.block),
        depth_(static_cast<std::int64_t>(workspace.panels.size()) - 1) {
    for (Panel& panel : workspace.panels) stages_.push_back({&panel});
  }

  void run() {
    for (std::int64_t ahead = 0; ahead < std::min(depth_, count_); ++ahead) {
      catch_up(0, ahead);
      produce(ahead);
    }
    for (std::int64_t step = 0; step < count_; ++step) {
      if (depth_ == 0) produce(step);
      receive(stage_of(step));
      if (depth_ == 0 || step + depth_ >= count_) {
        update(begin_update(stage_of(step), right_of(step + std::max<std::int64_t>(depth_, 1)),
                            workspace_.rows));
      } else {
        advance(step, step + depth_);
      }
    }
    for (Stage& stage : stages_) stage.broadcast.finish();
  }

 private:
  [[nodiscard]] Stage& stage_of(std::int64_t panel) {
    return stages_[static_cast<std::size_t>(panel) % stages_.size()];
  }
  [[nodiscard]] std::int64_t first_column(std::int64_t panel) const {
    return matrix_.columns_before(std::min(panel * matrix_.layout().rows.block, n_));
  }
  [[nodiscard]] LocalColumns columns_of(std::int64_t panel) const {
    return {first_column(panel), first_column(panel + 1)};
  }
  /// From the columns of a panel on, with the right-hand side.
  [[nodiscard]] LocalColumns right_of(std::int64_t panel) const {
    return {first_column(panel), matrix_.all().columns()};
  }

  /// One step: while the trailing columns are updated, panel `ahead` is factored and sent. It lies the depth
  /// of the look-ahead to the right and has had the panels left of `step`.
  void advance(std::int64_t step, std::int64_t ahead) {
    const Update all = begin_update(stage_of(step), right_of(ahead), workspace_.rows);
    const LocalColumns next = columns_of(ahead);
    update(all, next);
    catch_up(step + 1, ahead);
    start_update(all, {next.end, all.columns.end});
    produce(ahead);
    finish_update();
  }

  /// Updates the columns of panel `ahead` with the panels from `first` on. They have had those before.
  void catch_up(std::int64_t first, std::int64_t ahead) {
    const LocalColumns columns = columns_of(ahead);
    if (columns.count() == 0) return;  // of another grid column
    for (std::int64_t panel = first; panel < ahead; ++panel) {
      receive(stage_of(panel));
      update(begin_update(stage_of(panel), columns, workspace_.rows_ahead));
    }
  }

  /// Factors a panel where it lies and sends it on its way.
  void produce(std::int64_t number) {
    Stage& stage = stage_of(number);
    {
      const PhaseTimer timer(phases_.broadcast);
      stage.broadcast.finish();
    }
    stage.panel->begin(matrix_, number * matrix_.layout().rows.block);
    stage.received = false;
    const Panel& panel = *stage.panel;
    if (panel.owner_column() == grid_.my_column()) {
      const PhaseTimer timer(phases_.panel);
      copy(home(panel), {panel.rows()});
      factor_panel(panel, matrix_, method_, pivots_);
      panel.pack();
      if (panel.has_top()) store_triangle(panel);
    }
    const PhaseTimer timer(phases_.broadcast);
    stage.broadcast =
        Broadcast(grid_.along_row(), method_.broadcast, panel.owner_column(), panel.message(),
                  {static_cast<int>(&stage - stages_.data()), static_cast<int>(stages_.size())});
  }

  void receive(Stage& stage) {
    if (stage.received) return;
    {
      const PhaseTimer timer(phases_.broadcast);
      stage.broadcast.receive();
    }
    stage.received = true;
    stage.moves = RowMoves::of(*stage.panel, matrix_.layout().rows);
    const PhaseTimer timer(phases_.solve);
    if (stage.panel->is_packed()) {
      stage.packed_triangle = pack_triangle(stage.panel->triangle());
    } else {
      stage.solver.prepare(stage.panel->triangle());
    }
  }

  /// The panel's columns of the matrix, as far as they have been updated.
  [[nodiscard]] MatrixView home(const Panel& panel) const {
    return matrix_.all().part(matrix_.rows_before(panel.first()), matrix_.columns_before(panel.first()),
                              panel.rows().rows, panel.width());
  }

  /// U of the diagonal block, for back substitution.
  void store_triangle(const Panel& panel) const {
    const MatrixView to = home(panel);
    for (std::int64_t i = 0; i < panel.width(); ++i) {
      for (std::int64_t j = i; j < panel.width(); ++j) to(i, j) = panel.triangle()(i, j);
    }
  }

  /// A grid of several rows exchanges all columns at once, as each exchange has its latency.
  Update begin_update(const Stage& stage, LocalColumns columns, RowExchange& rows) {
    Update update{&stage, columns, &rows};
    if (grid_.rows() == 1 || columns.count() == 0) return update;
    const PhaseTimer timer(phases_.exchange);
    update.exchanged = rows.apply(*stage.panel, stage.moves, all_rows(columns));
    return update;
  }

  void update(const Update& all) { update(all, all.columns); }

  void update(const Update& all, LocalColumns columns) {
    start_update(all, columns);
    finish_update();
  }

  /// From here on, helpers take strips.
  void start_update(const Update& all, LocalColumns columns) {
    next_strip_ = columns.begin;
    const auto threads = static_cast<std::int64_t>(pool_.size());
    const std::int64_t share = (columns.count() + threads - 1) / threads;
    // A few strips for each thread, so that the owner, who comes late, finds its fair part of them.
    const std::int64_t strip = std::clamp(threads == 1 ? share : share / 3, kNarrowestStrip, kWidestStrip);
    pool_.start(
        [this, &all, columns, strip](std::size_t thread) { take_strips(thread, all, columns, strip); });
  }

  void finish_update() { pool_.finish(); }

  void take_strips(std::size_t thread, const Update& all, LocalColumns columns, std::int64_t strip) {
    Phases unseen;  // only those of the owner thread are reported
    for (std::int64_t at; (at = next_strip_.fetch_add(strip)) < columns.end;) {
      update_strip(thread, all, {at, std::min(at + strip, columns.end)}, thread == 0 ? phases_ : unseen);
    }
  }

  /// U := L1^-1 of the pivot rows, and what is below less L2 U.
  void update_strip(std::size_t thread, const Update& all, LocalColumns strip, Phases& phases) {
    if (!all.stage->panel->is_packed()) {
      update_by_blas(thread, all, strip, phases);
      return;
    }
    for (std::int64_t at = strip.begin; at < strip.end; at += UpperTiles::kColumns) {
      update_by_tiles(thread, all, {at, std::min(at + UpperTiles::kColumns, strip.end)}, phases);
      if (thread == 0) progress();
    }
  }

  void update_by_blas(std::size_t thread, const Update& all, LocalColumns strip, Phases& phases) {
    const MatrixView rows = pivot_rows(thread, all, strip, phases);
    const MatrixView upper = place_of_upper(all, strip);
    {
      const PhaseTimer timer(phases.solve);
      all.stage->solver.solve(rows, upper);
    }
    const PhaseTimer timer(phases.multiply);
    subtract_product_by_blocks(all.stage->panel->lower(), upper, below_panel(all, strip), [&] {
      if (thread == 0) progress();
    });
  }

  void update_by_tiles(std::size_t thread, const Update& all, LocalColumns some, Phases& phases) {
    const Panel& panel = *all.stage->panel;
    const UpperTiles upper(workspace_.tiles_of(thread), panel.width(), some.count());
    {
      const PhaseTimer timer(phases.exchange);
      if (grid_.rows() > 1) {
        upper.set(exchanged_rows(all, some));
      } else {
        RowExchange::apply_alone(all.stage->moves, all_rows(some), upper);
      }
    }
    {
      const PhaseTimer timer(phases.solve);
      upper.solve(all.stage->packed_triangle);
      if (panel.has_top()) upper.copy_to(place_of_upper(all, some));
    }
    const PhaseTimer timer(phases.multiply);
    upper.subtract_product(panel.packed_lower(), below_panel(all, some));
  }

  /// Passes on what has come of panels under way. For the owner thread.
  void progress() {
    for (Stage& stage : stages_) stage.broadcast.progress();
  }

  MatrixView pivot_rows(std::size_t thread, const Update& all, LocalColumns strip, Phases& phases) {
    if (grid_.rows() > 1) return exchanged_rows(all, strip);
    const PhaseTimer timer(phases.exchange);
    return all.rows->apply_alone(thread, *all.stage->panel, all.stage->moves, all_rows(strip));
  }

  static MatrixView exchanged_rows(const Update& all, LocalColumns some) {
    return all.exchanged.part(0, some.begin - all.columns.begin, all.exchanged.rows(), some.count());
  }

  [[nodiscard]] MatrixView below_panel(const Update& all, LocalColumns some) const {
    const std::int64_t rows = all.stage->panel->rows_below();
    return all_rows(some).part(matrix_.all().rows() - rows, 0, rows, some.count());
  }

  /// In the matrix, where this rank has the rows of the diagonal block.
  [[nodiscard]] MatrixView place_of_upper(const Update& all, LocalColumns strip) const {
    const Panel& panel = *all.stage->panel;
    if (panel.has_top()) {
      return all_rows(strip).part(matrix_.rows_before(panel.first()), 0, panel.width(), strip.count());
    }
    return all.rows->spare(panel.width(), all.columns.count())
        .part(0, strip.begin - all.columns.begin, panel.width(), strip.count());
  }

  [[nodiscard]] MatrixView all_rows(LocalColumns columns) const {
    return matrix_.all().part(0, columns.begin, matrix_.all().rows(), columns.count());
  }

  const ProcessGrid& grid_;
  const HplMethod& method_;
  LocalMatrix& matrix_;
  Workspace& workspace_;
  ThreadPool& pool_;
  Phases& phases_;
  PivotExchange pivots_;
  std::int64_t n_;
  std::int64_t count_;  ///< of panels
  std::int64_t depth_;  ///< of the look-ahead
  std::vector<Stage> stages_;
  std::atomic<std::int64_t> next_strip_{0};  ///< of the update that is under way
};

/// A grid of one row exchanges those of a strip, or straight into tiles.
std::int64_t columns_exchanged(const ProcessGrid& grid, const LocalMatrix& matrix,
                               const WorkspaceOptions& options) {
  if (grid.rows() > 1) return matrix.all().columns();
  return options.packed ? 0 : std::min(kWidestStrip, matrix.all().columns());
}

}  // namespace

Result<Workspace> Workspace::make(const ProcessGrid& grid, const HplCase& one, const LocalMatrix& matrix,
                                  const WorkspaceOptions& options) {
  std::vector<Panel> panels;
  for (int i = 0; i <= one.method.look_ahead; ++i) {
    Result<Panel> panel = Panel::make(matrix, one, options.packed);
    if (!panel) return panel.error();
    panels.push_back(std::move(panel).value());
  }
  const auto nb = static_cast<std::int64_t>(one.nb);
  const std::int64_t at_once = columns_exchanged(grid, matrix, options);
  Result<RowExchange> rows = RowExchange::make(grid, one, at_once, options.threads);
  if (!rows) return rows.error();
  const std::int64_t ahead = one.method.look_ahead > 1 ? std::min(nb, at_once) : 0;
  Result<RowExchange> rows_ahead = RowExchange::make(grid, one, ahead, options.threads);
  if (!rows_ahead) return rows_ahead.error();
  const auto words = static_cast<std::size_t>(UpperTiles::words(nb));
  Result<Block> tiles = Block::map(Bytes(options.threads * words * sizeof(double)), PageMode::kHuge);
  if (!tiles) return tiles.error();
  return Workspace{std::move(panels), std::move(rows).value(), std::move(rows_ahead).value(),
                   std::move(tiles).value(), words};
}

void factor(const ProcessGrid& grid, const HplMethod& method, LocalMatrix& matrix, Workspace& workspace,
            ThreadPool& pool, Phases& phases) {
  Factorization(grid, method, matrix, workspace, pool, phases).run();
}

}  // namespace groma::hpcc::hpl
