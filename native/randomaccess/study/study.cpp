#include "randomaccess/study/study.hpp"

#include <utility>

#include "randomaccess/global_run.hpp"
#include "randomaccess/table_memory.hpp"

namespace groma::randomaccess {
namespace {

/// Who takes part, and with what.
struct Bench {
  const job::Measuring& context;
  const StudyPlan& plan;
  mpi::Communicator node;
  Partition parts;
  Duty duty;
};

/// The updates that fall to a rank where each generates its own: as many as its words are of all.
Section own_updates(const StudyPlan& plan, const Partition& parts, std::uint64_t rank) {
  __extension__ using Wide = unsigned __int128;
  const auto edge = [&](std::uint64_t word) {
    return static_cast<std::uint64_t>(Wide{plan.updates} * word / plan.words);
  };
  const std::uint64_t first = edge(parts.first(rank));
  return {first, edge(parts.first(rank) + parts.size(rank)) - first};
}

Bench bench_for(const job::Measuring& context, const StudyPlan& plan) {
  const mpi::Communicator& world = context.world;
  Bench bench{context,
              plan,
              world.split_by_node(),
              Partition(plan.words, static_cast<std::uint64_t>(world.size())),
              {}};
  const Section own = own_updates(plan, bench.parts, static_cast<std::uint64_t>(world.rank()));
  bench.duty = duty_of(plan.mode, world, bench.node, own, plan.look_ahead);
  return bench;
}

Setup setup_for(const Bench& bench, const TableMemory& memory) {
  return {.world = bench.context.world,
          .workers = bench.parts,
          .table = memory.words(),
          .generator = bench.plan.generator,
          .threads = 1,
          .limit = bench.duty.limit,
          .owner = bench.plan.owner,
          .grid = bench.plan.grid,
          .node_table = memory.of_node(),
          .routers = bench.plan.routers};
}

/// What the algorithm says of this rank, else what the mapping makes of it.
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
  const Seconds waited = after.waited - before.waited;
  return {static_cast<double>(after.messages - before.messages),
          static_cast<double>(after.bytes - before.bytes),
          static_cast<double>(after.handed - before.handed),
          waited.value(),
          (time - waited).value(),
          static_cast<double>(after.most_pending)};
}

/// The root's view of what each rank did in the repetition before.
class Ledger {
 public:
  /// Collective.
  Ledger(const mpi::Communicator& world, const std::string& role)
      : world_(world), roles_(world.gather_texts(role)) {}

  /// Collective.
  void note(const Activity& now, Seconds time) {
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
  const double bytes = per_update(done.bytes);
  const double handed = per_update(done.handed);
  JsonObject facts;
  facts.add("messages_per_update", messages).add("bytes_per_update", bytes).add("handed_per_update", handed);
  return facts;
}

job::Outcome outcome_of(const Bench& bench, const GlobalRun& run, const Activity& before) {
  const mpi::Communicator& world = bench.context.world;
  const Tally tally = run.tally();
  Activity done = run.updater().activity();
  const std::uint64_t pending = most_of_holders(bench.plan.mode, world, bench.node, done.most_pending);
  done.messages -= before.messages;
  done.bytes -= before.bytes;
  done.handed -= before.handed;
  const JsonObject exchange = exchange_facts(world, done, tally.updates);
  job::Outcome outcome;
  outcome.checks = {
      {"wrong words", static_cast<double>(tally.wrong), 0.0},
      {"updates pending", static_cast<double>(pending), static_cast<double>(bench.plan.look_ahead)}};
  outcome.facts.add("errors", tally.wrong)
      .add("look_ahead_max", pending)
      .add("updates", tally.updates)
      .add("seconds", tally.time.value())
      .add("check_seconds", tally.check.value())
      .add("exchange", exchange.json());
  return outcome;
}

}  // namespace

Result<job::Outcome> run_study(const job::Measuring& context, const StudyPlan& plan) {
  const mpi::Communicator& world = context.world;
  const Bench bench = bench_for(context, plan);
  const std::uint64_t words = bench.parts.size(static_cast<std::uint64_t>(world.rank()));
  const auto memory = TableMemory::allocate(world, bench.node, words, plan.mode.table_of_node);
  if (!memory) return memory.error();
  const Setup setup = setup_for(bench, memory.value());
  auto updater = plan.algorithm->make(setup);
  if (!updater) return updater.error();
  GlobalRun run(context.clock, setup, std::move(updater).value(), bench.duty.section,
                plan.effort.repetitions);
  Ledger ledger(world, role_of(bench, run.updater()));
  const Activity before = run.updater().activity();  // of the warm-up
  ledger.start(before);
  std::uint64_t round = 0;
  job::repeat(
      context, {{"time", "mpi", "s"}, {"rate", "mpi", "update/s"}},
      [&]() -> std::vector<double> {
        const Part part = run.measure(round++);
        ledger.note(run.updater().activity(), part.time);
        return {part.time.value(), part.per_second()};
      },
      [&] { return ledger.samples(); });
  return outcome_of(bench, run, before);
}

}  // namespace groma::randomaccess
