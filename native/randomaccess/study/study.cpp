#include "randomaccess/study/study.hpp"

#include <utility>

#include "randomaccess/global_run.hpp"
#include "randomaccess/study/bench.hpp"
#include "randomaccess/study/bottleneck.hpp"
#include "randomaccess/table_memory.hpp"

namespace groma::randomaccess {
namespace {

/// The role that the algorithm gives this rank, else the role that follows from the mapping.
std::string role_of(const Bench& bench, const Updater& updater) {
  if (std::string role = updater.role(); !role.empty()) return role;
  const bool generates = !bench.plan.mode.generation_of_node || bench.node.is_root();
  return generates ? "generate, route, update" : "route, update";
}

/// Samples of each rank in the order of kColumns; Activity counts on, a sample is what one repetition added.
struct Column {
  std::string_view series;
  std::string_view unit;
};
constexpr Column kColumns[] = {{"messages", "1"}, {"sent", "B"},   {"handed", "1"},
                               {"waited", "s"},   {"worked", "s"}, {"pending", "1"}};

std::vector<double> columns_of(const Activity& before, const Activity& after, Seconds time) {
  const Activity done = after.since(before);
  return {static_cast<double>(done.messages), static_cast<double>(done.bytes),
          static_cast<double>(done.handed),   done.waited.value(),
          (time - done.waited).value(),       static_cast<double>(done.most_pending)};
}

/// What each rank did in the last repetition. On the root.
class ActivityLog {
 public:
  /// Collective.
  ActivityLog(const mpi::Communicator& world, const std::string& role)
      : world_(world), roles_(world.gather_texts(role)) {}

  /// Collective.
  void add(const Activity& now, Seconds time) {
    rows_ = world_.gather_rows(columns_of(before_, now, time));
    before_ = now;
  }
  void start(const Activity& now) { before_ = now; }

  [[nodiscard]] job::RawSamples samples() const {
    job::RawSamples raw;
    for (std::size_t rank = 0; rank < rows_.size(); ++rank) {
      for (std::size_t column = 0; column < std::size(kColumns); ++column) {
        raw.cases.push_back(Case(kColumns[column].unit)
                                .with("series", kColumns[column].series)
                                .with("rank", rank)
                                .with("role", roles_[rank]));
        raw.values.push_back({rows_[rank][column]});
      }
    }
    return raw;
  }

 private:
  const mpi::Communicator& world_;
  std::vector<std::string> roles_;
  std::vector<std::vector<double>> rows_;
  Activity before_;
};

/// Sums over the ranks of what they sent in all. Collective.
JsonObject exchange_facts(const mpi::Communicator& world, const Activity& done, std::uint64_t updates) {
  const auto per_update = [&](std::uint64_t count) {
    return static_cast<double>(world.reduce_to_all(count, mpi::Reduction::kSum)) /
           static_cast<double>(updates);
  };
  const double messages = per_update(done.messages);
  const double part_full = per_update(done.part_full);
  const double empty = per_update(done.empty);
  const double bytes = per_update(done.bytes);
  const double handed = per_update(done.handed);
  JsonObject facts;
  facts.add("messages_per_update", messages)
      .add("part_full_per_update", part_full)
      .add("empty_per_update", empty)
      .add("bytes_per_update", bytes)
      .add("handed_per_update", handed);
  return facts;
}

job::Outcome outcome_of(const Bench& bench, const GlobalRun& run, const Activity& before) {
  const mpi::Communicator& world = bench.context.world;
  const RunTotals totals = run.totals();
  const Activity done = run.updater().activity().since(before);
  const std::uint64_t pending = most_pending(bench.plan.mode, world, bench.node, done.most_pending);
  const JsonObject exchange = exchange_facts(world, done, totals.updates);
  job::Outcome outcome;
  outcome.checks = {
      {"wrong words", static_cast<double>(totals.wrong), 0.0},
      {"updates pending", static_cast<double>(pending), static_cast<double>(bench.plan.look_ahead)}};
  outcome.facts.add("errors", totals.wrong)
      .add("look_ahead_max", pending)
      .add("updates", totals.updates)
      .add("seconds", totals.time.value())
      .add("check_seconds", totals.check.value())
      .add("exchange", exchange.json());
  return outcome;
}

}  // namespace

Result<job::Outcome> run_study(const job::Measuring& context, const StudyPlan& plan) {
  if (plan.bottleneck) return run_bottleneck(context, plan);
  const mpi::Communicator& world = context.world;
  const Bench bench = bench_for(context, plan);
  const auto memory = allocate_table(bench);
  if (!memory) return memory.error();
  const Setup setup = setup_for(bench, memory.value());
  auto updater = plan.algorithm->make(setup);
  if (!updater) return updater.error();
  GlobalRun run(context.clock, setup, std::move(updater).value(), bench.section, plan.effort.repetitions);
  ActivityLog log(world, role_of(bench, run.updater()));
  const Activity before = run.updater().activity();  // of the warm-up
  log.start(before);
  std::uint64_t round = 0;
  job::repeat(
      context, {{"time", "mpi", "s"}, {"rate", "mpi", "update/s"}},
      [&]() -> std::vector<double> {
        const Part part = run.measure(round++);
        log.add(run.updater().activity(), part.time);
        return {part.time.value(), part.per_second()};
      },
      [&] { return log.samples(); });
  return outcome_of(bench, run, before);
}

}  // namespace groma::randomaccess
