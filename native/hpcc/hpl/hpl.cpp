// HPL: the dense linear system, every case of the plan, of which the fastest valid one makes the summary.
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "hpcc/benchmark.hpp"
#include "hpcc/blas.hpp"
#include "hpcc/hpl/factorization.hpp"
#include "hpcc/hpl/solution.hpp"
#include "hpcc/hpl/variant.hpp"
#include "hpcc/statistics.hpp"
#include "job/repetition.hpp"
#include "mpi/wait.hpp"

namespace groma::hpcc {
namespace {

using namespace hpl;

const BenchmarkInfo kInfo = {
    .name = "hpl",
    .title = "Dense linear system",
    .measures = "flop/s of all ranks together",
    .formula = "(2/3 n^3 + 3/2 n^2) / time of factorization and solution, median",
    .validation = "|A x - b|_inf / (eps (|A|_inf |x|_inf + |b|_inf) n) stays under 16",
    .reference = "HPC Challenge 1.5.0; Dongarra, Luszczek and Petitet 2003; Petitet et al., HPL 2.0",
    .order = 70,
};

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// One case of the plan on its grid, and the worst that came of it.
class CaseRun {
 public:
  CaseRun(const Context& context, const HplCase& one, const std::optional<ProcessGrid>& grid)
      : context_(context),
        case_(one),
        grid_(grid),
        label_("hpl " + variant_code(one) + " n=" + std::to_string(one.n) + " nb=" + std::to_string(one.nb) +
               " " + std::to_string(one.grid.rows) + "x" + std::to_string(one.grid.columns)) {}

  /// Collective over the world; ranks beyond the grid sleep. flop/s on ranks of the grid.
  double measure() {
    double rate = kNothing;
    if (grid_) rate = solve_once();
    mpi::barrier(context_.world, mpi::WaitPolicy::kIdle);
    return rate;
  }

  [[nodiscard]] const HplCase& one() const { return case_; }
  [[nodiscard]] const std::string& label() const { return label_; }
  /// Of all repetitions. There was one.
  [[nodiscard]] const Residual& worst() const { return *worst_; }
  /// Of the latest repetition.
  [[nodiscard]] const std::array<double, 6>& phases() const { return phases_; }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  double solve_once() {
    Result<Solution> solution = hpl::solve(*grid_, case_, context_.plan.seed, context_.plan.threads);
    if (!solution) {
      status_ = solution.error();
      return kNothing;
    }
    const Residual& residual = solution.value().residual;
    if (!worst_ || residual.scaled() > worst_->scaled()) worst_ = residual;
    phases_ = solution.value().phases;
    return flops_of(case_.n) / solution.value().time.value();
  }

  const Context& context_;
  HplCase case_;
  const std::optional<ProcessGrid>& grid_;
  std::string label_;
  std::optional<Residual> worst_;
  std::array<double, 6> phases_{};
  Status status_ = Done{};
};

struct RatedCase {
  const CaseRun* run;
  double rate;  ///< flop/s
  [[nodiscard]] Seconds time() const { return Seconds(flops_of(run->one().n) / rate); }
};

std::string formatted(const char* format, auto... values) {
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), format, values...);
  return line.data();
}

std::string phases_line(const CaseRun& run) {
  std::string line = "Seconds of the slowest rank, by phase:";
  for (std::size_t i = 0; i < Phases::kNames.size(); ++i) {
    line.append(" ").append(Phases::kNames[i]).append(formatted(" %.3f", run.phases()[i]));
  }
  return line + "\n";
}

std::string report_of(const RatedCase& rated, double threshold) {
  const HplCase& one = rated.run->one();
  const double residual = rated.run->worst().scaled();
  return formatted("%-12s %11llu %5llu %5d %5d %18.2f %18.3e\n", variant_code(one).c_str(),
                   static_cast<unsigned long long>(one.n), static_cast<unsigned long long>(one.nb),
                   one.grid.rows, one.grid.columns, rated.time().value(), 1e-9 * rated.rate) +
         formatted("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= %16.7f ...... %s\n", residual,
                   residual <= threshold ? "PASSED" : "FAILED") +
         formatted("||Ax-b||_oo/(eps*||A||_1*N)= %16.7f, ||Ax-b||_oo/(eps*||A||_1*||x||_1)= %16.7f\n",
                   rated.run->worst().scaled_by_order(), rated.run->worst().scaled_by_sums()) +
         phases_line(*rated.run);
}

std::vector<SummaryEntry> summary_of(const RatedCase& best) {
  const Residual& residual = best.run->worst();
  std::vector<SummaryEntry> entries = {
      entry("HPL_Tflops", 1e-12 * best.rate),
      entry("HPL_time", best.time().value()),
      entry("HPL_eps", kEpsilon),
      entry("HPL_RnormI", residual.remainder),
      entry("HPL_Anorm1", residual.a_1),
      entry("HPL_AnormI", residual.a_inf),
      entry("HPL_Xnorm1", residual.x_1),
      entry("HPL_XnormI", residual.x_inf),
      entry("HPL_BnormI", residual.b_inf),
  };
  for (SummaryEntry& one : case_entries(best.run->one())) entries.push_back(std::move(one));
  return entries;
}

/// The fastest of those that passed; where none did, the fastest.
const RatedCase& best_of(const std::vector<RatedCase>& all, double threshold) {
  const auto key = [&](const RatedCase& one) {
    return std::pair(one.run->worst().scaled() <= threshold, one.rate);
  };
  return *std::max_element(all.begin(), all.end(),
                           [&](const RatedCase& a, const RatedCase& b) { return key(a) < key(b); });
}

Outcome outcome_of(const std::vector<RatedCase>& all, double threshold) {
  Outcome outcome;
  outcome.report = "T/V                    N    NB     P     Q               Time                 Gflops\n";
  for (const RatedCase& rated : all) {
    outcome.checks.push_back(
        {"HPL residual of " + rated.run->label(), rated.run->worst().scaled(), threshold});
    outcome.report += report_of(rated, threshold);
  }
  outcome.summary = summary_of(best_of(all, threshold));
  return outcome;
}

Status status_of(const Context& context, const std::vector<CaseRun>& runs) {
  for (const CaseRun& one : runs) {
    if (const Status status = context.world.agree(one.status()); !status) return status;
  }
  return Done{};
}

/// The time of each case by phase.
job::RawSamples phases_of(const std::vector<CaseRun>& runs) {
  job::RawSamples raw;
  for (const CaseRun& one : runs) {
    for (std::size_t i = 0; i < Phases::kNames.size(); ++i) {
      raw.cases.push_back(
          Case("s").with("series", one.label()).with("mode", "mpi").with("phase", Phases::kNames[i]));
      raw.values.push_back({one.phases()[i]});
    }
  }
  return raw;
}

/// Repetitions of a run of all cases that takes `once`: as many as planned where they take little or what is
/// left of the budget holds them, at least one.
std::uint32_t affordable_repetitions(const Plan& plan, Seconds once, Seconds left) {
  constexpr Seconds kLittle{30.0};
  const auto planned = static_cast<double>(plan.effort.repetitions);
  return static_cast<std::uint32_t>(std::clamp(std::max(kLittle, left) / once, 1.0, planned));
}

/// The same on every rank. Collective.
std::uint32_t agreed_repetitions(const Context& context, Seconds once) {
  const Seconds left = context.until - context.clock.now();
  const std::uint64_t own = affordable_repetitions(context.plan, once, left);
  return static_cast<std::uint32_t>(context.world.broadcast_value(own));
}

/// The first run warms up, but where there is no time for all repetitions it counts.
job::Values measure_cases(const Context& context, std::vector<CaseRun>& runs,
                          const std::vector<job::Series>& series) {
  const auto all_once = [&runs] {
    std::vector<double> rates;
    for (CaseRun& one : runs) rates.push_back(one.measure());
    return rates;
  };
  const Seconds start = context.clock.now();
  const std::vector<double> first = all_once();
  job::Measuring adapted = context;
  adapted.repetitions = agreed_repetitions(context, context.clock.now() - start);
  bool use_first = adapted.repetitions < context.repetitions;
  return job::repeat(
      adapted, series, [&] { return std::exchange(use_first, false) ? first : all_once(); },
      [&] { return phases_of(runs); });
}

Result<Outcome> run(const Context& context) {
  ProcessGrids grids;
  std::vector<CaseRun> runs;
  runs.reserve(context.plan.hpl.size());  // labels are viewed from here on
  std::vector<job::Series> series;
  for (const HplCase& one : context.plan.hpl) {
    series.push_back(
        {runs.emplace_back(context, one, grids.of(context.world, one)).label(), "mpi", "flop/s"});
  }
  set_blas_threads(1);  // those of each rank are HPL's own
  const job::Values values = measure_cases(context, runs, series);
  set_blas_threads(context.plan.threads);
  if (const Status status = status_of(context, runs); !status) return status.error();
  if (!context.world.is_root()) return Outcome{};
  std::vector<RatedCase> rated;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    rated.push_back({&runs[i], medians_by_rank(values[i]).front()});
  }
  return outcome_of(rated, context.plan.residual_threshold);
}

/// The matrix, the panels in both forms of L, and rows on their way: those of a strip for each thread, or on
/// a grid of several rows four times those of all columns (row_exchange.hpp).
double words_held(const Plan& plan) {
  double most = 0.0;
  for (const HplCase& one : plan.hpl) {
    const double rows = real(most_local(one.n, one.nb, one.grid.rows));
    const double columns = real(most_local(one.n, one.nb, one.grid.columns));
    const double moving =
        one.grid.rows == 1 ? plan.threads * std::min(columns, real(hpl::kWidestStrip)) : 4.0 * columns;
    const double panels = 1.0 + one.method.look_ahead;
    most = std::max(most, rows * columns + (panels * (2.0 * rows + real(one.nb)) + moving) * real(one.nb));
  }
  return most;
}

/// The matrix is made, solved, and made again to check.
Seconds time_once(const Plan& plan) {
  Seconds sum(0.0);
  for (const HplCase& one : plan.hpl) {
    const double ranks = one.grid.ranks();
    sum = sum + Seconds(flops_of(one.n) / (plan.rates.solve * ranks)) +
          time_to_generate(2.0 * real(one.n) * real(one.n) / (ranks * plan.threads));
  }
  return sum;
}

/// The first run warms up, but counts where there is no time for all.
Seconds time_taken(const Plan& plan, Seconds left) {
  const Seconds once = time_once(plan);
  const std::uint32_t affordable = affordable_repetitions(plan, once, left - once);
  return once * (affordable < plan.effort.repetitions ? affordable : repetitions(plan, left) + 1.0);
}

const Registration kRegistered(kInfo, run, {words_held, time_taken});

}  // namespace
}  // namespace groma::hpcc
