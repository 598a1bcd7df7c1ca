// PTRANS: a matrix in blocks on a grid of ranks is transposed and added to another one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/quantile.hpp"
#include "hpcc/benchmark.hpp"
#include "hpcc/ptrans/exchange.hpp"
#include "hpcc/ptrans/matrices.hpp"
#include "job/repetition.hpp"
#include "mpi/wait.hpp"

namespace groma::hpcc {
namespace {

const BenchmarkInfo kInfo = {
    .name = "ptrans",
    .title = "Parallel matrix transposition",
    .measures = "B/s of all ranks of the grid together, for every size, block size and grid of the plan",
    .formula = "8 n^2 / time of A^T + C, median; the best case is the headline",
    .validation = "every element of every repetition, exactly",
    .reference = "HPC Challenge 1.5.0; Choi, Dongarra and Walker 1995",
    .order = 10,
};

double bytes_of(const PtransCase& one) {
  return 8.0 * static_cast<double>(one.n) * static_cast<double>(one.n);
}

std::string name_of(const PtransCase& one) {
  return "n=" + std::to_string(one.n) + " nb=" + std::to_string(one.nb) +
         " grid=" + std::to_string(one.grid.rows) + "x" + std::to_string(one.grid.columns);
}

/// The first ranks of the world as the cases have them, each number once: MPI libraries have few
/// communicators (MPICH 2048), and lists of sizes, blocks and grids multiply.
class FirstRanks {
 public:
  /// Collective where the number is new. None on the other ranks.
  const std::optional<mpi::Communicator>& of(const mpi::Communicator& world, int count) {
    const auto found = made_.find(count);
    if (found != made_.end()) return found->second;
    return made_.emplace(count, world.split(world.rank() < count ? 0 : -1, world.rank())).first->second;
  }

 private:
  std::map<int, std::optional<mpi::Communicator>> made_;
};

/// One case on the ranks that take part in it; the others have no grid.
struct Running {
  const PtransCase& which;
  const Layout& layout;
  const std::optional<mpi::Communicator>& grid;
  std::optional<PtransExchange> exchange{};
};

/// All cases of a plan, one at a time in the same memory.
class Cases {
 public:
  Cases(const Context& context, const std::vector<Layout>& layouts, PtransMatrices matrices, ThreadPool& pool)
      : context_(context), matrices_(std::move(matrices)) {
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      running_.push_back(
          {context.plan.ptrans[i], layouts[i], first_ranks_.of(context.world, layouts[i].ranks())});
    }
    for (Running& one : running_) {
      if (one.grid)
        one.exchange.emplace(*one.grid, one.layout, operands(one.layout), pool,
                             transpose_variants().back().add);
    }
    mistakes_.resize(running_.size());
  }

  /// Collective: each case once, B/s; NaN where this rank takes no part.
  std::vector<double> rates() {
    const Elements elements(RandomStream(context_.plan.seed).fork(repetitions_++).next());
    std::vector<double> all;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      all.push_back(running_[i].grid ? rate(running_[i], elements, mistakes_[i])
                                     : std::numeric_limits<double>::quiet_NaN());
      // Who has no part in a case must not fill its matrices for the next one meanwhile.
      if (running_[i].layout.ranks() < context_.world.size())
        mpi::barrier(context_.world, mpi::WaitPolicy::kIdle);
    }
    return all;
  }

  /// How this rank meets others of its node.
  [[nodiscard]] std::string_view within_nodes() const {
    const auto& readable = matrices_.readable();
    const auto strangers = static_cast<std::size_t>(std::ranges::count(readable, nullptr));
    return strangers + 1 < readable.size() ? "shared memory" : "messages";
  }

  /// Of one case and all repetitions so far; collective, on every rank.
  [[nodiscard]] PtransMatrices::WrongElements mistakes(std::size_t which) const {
    const PtransMatrices::WrongElements& own = mistakes_[which];
    return {context_.world.reduce_to_all(own.elements, mpi::Reduction::kSum),
            job::WorstDeviation(own.farthest.over(context_.world))};
  }

 private:
  [[nodiscard]] PtransOperands operands(const Layout& layout) const {
    const auto& readable = matrices_.readable();
    return {{readable.begin(), readable.begin() + layout.ranks()}, matrices_.c().data(), matrices_.buffer()};
  }

  /// With elements that no repetition had before: what a buffer still holds of another one is wrong.
  double rate(Running& one, const Elements& elements, PtransMatrices::WrongElements& mistakes) {
    matrices_.fill(one.layout, one.grid->rank(), elements);
    const Seconds time = job::time_together(*one.grid, context_.clock, [&] { one.exchange->run(); });
    mistakes.add(matrices_.mistakes(one.layout, one.grid->rank(), elements));
    return bytes_of(one.which) / time.value();
  }

  const Context& context_;
  PtransMatrices matrices_;
  std::uint64_t repetitions_ = 0;
  FirstRanks first_ranks_;
  std::vector<Running> running_;
  std::vector<PtransMatrices::WrongElements> mistakes_;
};

std::vector<job::Series> series_of(const Plan& plan, std::string_view within_nodes) {
  std::vector<job::Series> series;
  for (const PtransCase& one : plan.ptrans) {
    series.push_back({"ptrans",
                      "mpi",
                      "B/s",
                      {{"n", one.n},
                       {"nb", one.nb},
                       {"rows", one.grid.rows},
                       {"columns", one.grid.columns},
                       {"within_nodes", within_nodes}}});
  }
  return series;
}

job::Values measure(const Context& context, Cases& cases) {
  cases.rates();  // untimed: pages and connections are made
  const Seconds end = context.clock.now() + time_of_short_test(context.plan);
  return job::repeat(context.ending_by(end), series_of(context.plan, cases.within_nodes()),
                     [&] { return cases.rates(); });
}

/// What came of one case. On the root.
struct CaseResult {
  const PtransCase& which;
  double rate;  ///< B/s, median
  PtransMatrices::WrongElements mistakes;
  [[nodiscard]] Seconds time() const { return Seconds(bytes_of(which) / rate); }
};

double median_at_root(const std::vector<std::vector<double>>& repetitions) {
  std::vector<double> rates;
  for (const std::vector<double>& by_rank : repetitions) rates.push_back(by_rank.front());
  return quantile(std::move(rates), 0.5);
}

std::vector<SummaryEntry> summary_of(const CaseResult& best) {
  return {entry("PTRANS_GBs", 1e-9 * best.rate),
          entry("PTRANS_time", best.time().value()),
          entry("PTRANS_residual", best.mistakes.farthest.value()),
          entry("PTRANS_n", best.which.n),
          entry("PTRANS_nb", best.which.nb),
          entry("PTRANS_nprow", std::int64_t{best.which.grid.rows}),
          entry("PTRANS_npcol", std::int64_t{best.which.grid.columns})};
}

Outcome outcome_of(const std::vector<CaseResult>& results, std::string_view within_nodes) {
  Outcome outcome;
  outcome.report = "PTRANS, medians; within nodes by " + std::string(within_nodes) + ":\n";
  for (const CaseResult& one : results) {
    const auto wrong = static_cast<double>(one.mistakes.elements);
    outcome.checks.push_back({"PTRANS wrong elements, " + name_of(one.which), wrong, 0.0});
    outcome.report += "  " + name_of(one.which) + ": " + entry("", 1e-9 * one.rate).value + " GB/s, " +
                      entry("", one.time().value()).value + " s\n";
  }
  outcome.summary = summary_of(*std::ranges::max_element(results, {}, &CaseResult::rate));
  return outcome;
}

Result<Outcome> run(const Context& context) {
  const Plan& plan = context.plan;
  if (plan.ptrans.empty()) return Outcome{};
  ThreadPool pool(plan.threads);
  const std::vector<Layout> layouts(plan.ptrans.begin(), plan.ptrans.end());
  auto matrices = PtransMatrices::make(context.world, layouts, Sharing::kNodes, pool);
  if (!matrices) return matrices.error();
  Cases cases(context, layouts, std::move(matrices).value(), pool);
  const job::Values values = measure(context, cases);
  std::vector<CaseResult> results;
  for (std::size_t i = 0; i < plan.ptrans.size(); ++i) {
    const auto mistakes = cases.mistakes(i);
    if (context.world.is_root()) results.push_back({plan.ptrans[i], median_at_root(values[i]), mistakes});
  }
  return context.world.is_root() ? outcome_of(results, cases.within_nodes()) : Outcome{};
}

/// A, C and what is sent and received by the rank that has most: blocks may be so large that few have any.
double words_held(const Plan& plan) {
  double most = 0.0;
  for (const PtransCase& one : plan.ptrans) {
    const double rows = real(most_local(one.n, one.nb, one.grid.rows));
    const double columns = real(most_local(one.n, one.nb, one.grid.columns));
    most = std::max(most, 4.0 * rows * columns);
  }
  return most;
}

/// Before each repetition A and C are made, after it C is compared.
Seconds time_taken(const Plan& plan, Seconds left) {
  Seconds once(0.0);
  for (const PtransCase& one : plan.ptrans) {
    const double words = real(one.n) * real(one.n) / one.grid.ranks();
    once = once + Seconds(bytes_of_words(words) / plan.rates.transpose) + time_to_generate(3.0 * words);
  }
  return once * (repetitions(plan, left) + 1.0);
}

const Registration kRegistered(kInfo, run, {words_held, time_taken});

}  // namespace
}  // namespace groma::hpcc
