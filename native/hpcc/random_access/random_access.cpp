// RandomAccess with both sequences: one table over all ranks (mpi), one table of each rank, of all at once
// (star) and of one rank alone (single).
#include <algorithm>
#include <limits>

#include "base/pages.hpp"
#include "base/random.hpp"
#include "hpcc/benchmark.hpp"
#include "hpcc/statistics.hpp"
#include "job/repetition.hpp"
#include "mpi/wait.hpp"
#include "randomaccess/algorithm.hpp"
#include "randomaccess/global_run.hpp"
#include "randomaccess/local.hpp"
#include "randomaccess/verification.hpp"

namespace groma::hpcc {
namespace {

using namespace randomaccess;

const BenchmarkInfo kInfo = {
    .name = "random_access",
    .title = "Random updates of memory",
    .measures =
        "updates/s of a table over all ranks (mpi), of each rank's own, all at once (star), alone (single)",
    .formula = "4 x words of the table / time",
    .validation =
        "applying the same updates again restores every word of the table; at most 1,024 updates of a rank "
        "are pending",
    .reference = "HPC Challenge 1.5.0; Aggarwal et al. 2008",
    .order = 40,
};

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kUpdatesPerWord = 4;
/// The rules allow 1 % for updates that race. Here none do: a wrong word is a fault.
constexpr double kErrorsAllowed = 0.0;
constexpr std::uint64_t kWarmUp = std::uint64_t{1} << 18U;

/// What the runs with both sequences work on. Their tables take turns in the same memory.
struct Bench {
  const Context& context;
  const Partition& workers;
  const Algorithm& algorithm;
  std::vector<int> grid;
  std::span<std::uint64_t> memory;
  int chosen;           ///< rank that runs alone
  std::uint32_t parts;  ///< of the whole run: together they are its 4 updates per word, each is checked
};

/// As many as repetitions are asked for, but no more than a rank has updates: a part without updates has no
/// rate.
std::uint32_t parts_of_run(const Plan& plan) {
  const auto ranks = static_cast<std::uint64_t>(plan.ranks);
  const std::uint64_t share = std::max<std::uint64_t>(1, plan.sizes.mpi_random_access / ranks);
  const std::uint64_t updates = kUpdatesPerWord * std::min(share, plan.sizes.random_access);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.effort.repetitions, updates));
}

Section warm_up_of(Section whole) {
  return {whole.first, std::min(whole.count, kWarmUp)};
}

/// More would leave each of them too little of the look-ahead.
std::uint64_t threads_of_table(const Plan& plan) {
  return std::min<std::uint64_t>(plan.threads, randomaccess::kMaxThreads);
}

/// What this rank has of the table over all ranks.
std::uint64_t own_words(const Context& context, const Partition& workers) {
  const Partition ranks = workers.grouped(threads_of_table(context.plan));
  return ranks.size(static_cast<std::uint64_t>(context.world.rank()));
}

Setup setup_for(const Bench& bench, Generator generator) {
  return {.world = bench.context.world,
          .workers = bench.workers,
          .table = bench.memory.first(own_words(bench.context, bench.workers)),
          .generator = generator,
          .threads = threads_of_table(bench.context.plan),
          .grid = bench.grid};
}

/// The updates of the whole run that a rank generates: 4 of each of its words.
Section own_updates(const Setup& setup) {
  return {kUpdatesPerWord * setup.workers.first(setup.first_worker()), kUpdatesPerWord * setup.table.size()};
}

/// A table of this rank.
class LocalRun {
 public:
  LocalRun(const Bench& bench, Generator generator)
      : bench_(bench),
        generator_(generator),
        table_(bench.memory.first(bench.context.plan.sizes.random_access)),
        updater_(table_, threads_of_table(bench.context.plan)) {
    fill(table_, 0);
    updater_.apply(generator_, warm_up_of(whole()));
    check(warm_up_of(whole()));
  }

  void reset() { fill(table_, 0); }

  /// Updates per second of this rank, after a reset.
  double measure(std::uint64_t round) {
    const Section updates = part(round);
    const Seconds start = bench_.context.clock.now();
    updater_.apply(generator_, updates);
    const Seconds time = bench_.context.clock.now() - start;
    return static_cast<double>(updates.count) / time.value();
  }

  /// Of what was measured last.
  void check(Section updates) { wrong_ += count_wrong_words(table_, generator_, updates); }
  void check_round(std::uint64_t round) { check(part(round)); }

  [[nodiscard]] double worst_fraction() const {
    const std::uint64_t most = bench_.context.world.reduce_to_all(wrong_, mpi::Reduction::kMax);
    return static_cast<double>(most) / static_cast<double>(table_.size());
  }
  [[nodiscard]] std::uint64_t most_pending() const {
    return bench_.context.world.reduce_to_all(updater_.most_pending(), mpi::Reduction::kMax);
  }

 private:
  [[nodiscard]] Section whole() const { return {0, kUpdatesPerWord * table_.size()}; }
  [[nodiscard]] Section part(std::uint64_t round) const {
    return part_of(whole(), round % bench_.parts, bench_.parts);
  }

  const Bench& bench_;
  Generator generator_;
  std::span<std::uint64_t> table_;
  LocalTable updater_;
  std::uint64_t wrong_ = 0;
};

/// Both runs with one sequence.
class Runs {
 public:
  Runs(const Bench& bench, const Setup& setup, std::unique_ptr<Updater> updater)
      : bench_(bench),
        global_(bench.context.clock, setup, std::move(updater), own_updates(setup), bench.parts),
        local_(bench, setup.generator) {}

  /// Of mpi, star and single.
  std::vector<double> measure(std::uint64_t round) {
    const double all = global_.measure(round).per_second();
    local_.reset();
    bench_.context.world.barrier();
    const double star = local_.measure(round);
    local_.check_round(round);  // which resets it
    double single = kNothing;
    mpi::run_alone(bench_.context.world, bench_.chosen, [&] { single = local_.measure(round); });
    if (bench_.context.world.rank() == bench_.chosen) local_.check_round(round);
    return {all, star, single};
  }

  /// Collective.
  void conclude(std::string_view infix, const Repetitions& star, const Repetitions& single,
                Outcome& to) const {
    const RunTotals totals = global_.totals();
    const auto words = static_cast<double>(bench_.workers.words());
    const double fraction = static_cast<double>(totals.wrong) / words;
    const std::uint64_t pending = std::max(most_pending_globally(), local_.most_pending());
    const double worst = local_.worst_fraction();
    if (!bench_.context.world.is_root()) return;
    const std::string middle(infix);
    const auto limit = static_cast<double>(kLookAhead);
    to.checks.push_back({"MPIRandomAccess" + middle + " wrong words", fraction, kErrorsAllowed});
    to.checks.push_back({"RandomAccess" + middle + " wrong words", worst, kErrorsAllowed});
    to.checks.push_back({"RandomAccess" + middle + " updates pending", static_cast<double>(pending), limit});
    add_global(to.summary, "MPIRandomAccess" + middle + "_", totals, fraction);
    to.summary.push_back(entry("RandomAccess" + middle + "_N", bench_.context.plan.sizes.random_access));
    to.summary.push_back(entry("StarRandomAccess" + middle + "_GUPs", 1e-9 * spread_of_medians(star).mean));
    to.summary.push_back(
        entry("SingleRandomAccess" + middle + "_GUPs", 1e-9 * spread_of_medians(single).mean));
    to.report += "RandomAccess" + middle + ": algorithm " + std::string(bench_.algorithm.name) + ", " +
                 std::to_string(totals.wrong) + " wrong words, at most " + std::to_string(pending) +
                 " updates pending" + left_out() + "\n";
  }

 private:
  [[nodiscard]] std::uint64_t most_pending_globally() const {
    return bench_.context.world.reduce_to_all(global_.updater().activity().most_pending,
                                              mpi::Reduction::kMax);
  }

  /// Threads that update no table.
  [[nodiscard]] std::string left_out() const {
    const Plan& plan = bench_.context.plan;
    const std::uint64_t updating = threads_of_table(plan);
    if (updating == plan.threads) return "";
    return ", " + std::to_string(updating) + " of " + std::to_string(plan.threads) + " threads of a rank";
  }

  void add_global(std::vector<SummaryEntry>& to, const std::string& key, const RunTotals& totals,
                  double fraction) const {
    to.push_back(entry(key + "N", bench_.workers.words()));
    to.push_back(entry(key + "time", totals.time.value()));
    to.push_back(entry(key + "CheckTime", totals.check.value()));
    to.push_back(entry(key + "Errors", totals.wrong));
    to.push_back(entry(key + "ErrorsFraction", fraction));
    to.push_back(entry(key + "ExeUpdates", totals.updates));
    to.push_back(entry(key + "GUPs", 1e-9 * static_cast<double>(totals.updates) / totals.time.value()));
    to.push_back(entry(key + "TimeBound", std::int64_t{-1}));
    to.push_back(entry(key + "Algorithm", std::int64_t{bench_.algorithm.number}));
  }

  const Bench& bench_;
  GlobalRun global_;
  LocalRun local_;
};

/// Words of the largest table of this rank.
std::uint64_t words_needed(const Context& context, const Partition& workers) {
  return std::max(context.plan.sizes.random_access, own_words(context, workers));
}

/// The parts make one whole run; more would add little and cost as much again.
Context with_one_run(const Bench& bench) {
  Context same = bench.context;
  same.most = same.repetitions = bench.parts;
  return same;
}

Result<Outcome> measure_all(const Bench& bench) {
  const Setup lcg_setup = setup_for(bench, Generator::kCongruential);
  const Setup polynomial_setup = setup_for(bench, Generator::kPolynomial);
  auto lcg_updater = bench.algorithm.make(lcg_setup);
  if (!lcg_updater) return lcg_updater.error();
  auto polynomial_updater = bench.algorithm.make(polynomial_setup);
  if (!polynomial_updater) return polynomial_updater.error();
  Runs lcg(bench, lcg_setup, std::move(lcg_updater).value());
  Runs polynomial(bench, polynomial_setup, std::move(polynomial_updater).value());
  const std::vector<job::Series> series = {
      {"random_access_lcg", "mpi", "update/s"},    {"random_access_lcg", "star", "update/s"},
      {"random_access_lcg", "single", "update/s"}, {"random_access", "mpi", "update/s"},
      {"random_access", "star", "update/s"},       {"random_access", "single", "update/s"}};
  std::uint64_t round = 0;
  job::Values values = job::repeat(with_one_run(bench), series, [&] {
    std::vector<double> both = lcg.measure(round);
    for (const double value : polynomial.measure(round)) both.push_back(value);
    ++round;
    return both;
  });
  values.resize(series.size());  // where this is not the root
  Outcome outcome;
  lcg.conclude("_LCG", values[1], values[2], outcome);
  polynomial.conclude("", values[4], values[5], outcome);
  return outcome;
}

Result<Outcome> run(const Context& context) {
  const mpi::Communicator& world = context.world;
  const auto ranks = static_cast<std::uint64_t>(world.size());
  const Plan& plan = context.plan;
  const Site site = site_of(world);
  const auto algorithm = choose_algorithm(plan.random_access, site);
  if (!algorithm) return algorithm.error();
  const Partition workers(plan.sizes.mpi_random_access, ranks * threads_of_table(plan));
  auto block = Block::map(Bytes(words_needed(context, workers) * sizeof(std::uint64_t)), PageMode::kHuge);
  if (const Status status = world.agree(block ? Status(Done{}) : Status(block.error())); !status) {
    return status.error();
  }
  const int chosen = static_cast<int>(RandomStream(plan.seed).fork(kInfo.order).below(ranks));
  const Bench bench{context,
                    workers,
                    *algorithm.value(),
                    algorithm.value()->grid_on(site),
                    block.value().as<std::uint64_t>(),
                    chosen,
                    parts_of_run(plan)};
  return measure_all(bench);
}

Status check_plan(const Plan& plan, const mpi::Communicator* world) {
  if (world == nullptr) return known_algorithm(plan.random_access);
  const auto algorithm = choose_algorithm(plan.random_access, site_of(*world));
  return algorithm ? Status(Done{}) : Status(algorithm.error());
}

double words_held(const Plan& plan) {
  return std::max(real(plan.sizes.random_access), real(plan.sizes.mpi_random_access) / plan.ranks);
}

/// With each sequence one whole run in each mode and its check, which needs more time than what it checks
/// because it shares no code with it; tables are filled again for every part.
Seconds time_taken(const Plan& plan, Seconds /*left*/) {
  // Medians on a guest of two cores: plain loops, and for the table of all ranks divisions and collectives.
  constexpr double kCheckOfAll = 4.0;
  constexpr double kCheckOfOwn = 1.6;
  constexpr double kSequences = 2.0;
  const double share = real(plan.sizes.mpi_random_access) / plan.ranks;
  const double local = real(plan.sizes.random_access);
  const Seconds all(kUpdatesPerWord * share * (1.0 + kCheckOfAll) / plan.rates.shared_updates);
  const Seconds own(kUpdatesPerWord * local * 2.0 * (1.0 + kCheckOfOwn) / plan.rates.updates);
  return (all + own + time_to_stream(4.0 * share + 8.0 * local, plan.rates) * real(plan.effort.repetitions)) *
         kSequences;
}

const Registration kRegistered(kInfo, run, {words_held, time_taken}, check_plan);

}  // namespace
}  // namespace groma::hpcc
