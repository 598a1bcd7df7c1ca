// STREAM: bandwidth of memory as long vectors see it, one rank alone, then all at once.
#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "hpcc/benchmark.hpp"
#include "hpcc/statistics.hpp"
#include "hpcc/stream/variants.hpp"
#include "job/repetition.hpp"
#include "job/worst_deviation.hpp"
#include "mpi/wait.hpp"

namespace groma::hpcc {
namespace {

const BenchmarkInfo kInfo = {
    .name = "stream",
    .title = "STREAM",
    .measures = "B/s of copy, scale, add and triad of each rank, alone (single) and all at once (star)",
    .formula = "16 n (copy, scale) or 24 n (add, triad) bytes / time of a pass, best repetition of each rank",
    .validation = "every element of the vectors after all passes, within the bound on rounding errors",
    .reference = "McCalpin, STREAM; HPC Challenge 1.5.0",
    .order = 30,
};

constexpr std::size_t kSteps = kStreamSteps.size();

/// StepRates of one round by step, B/s.
using StepRates = std::array<double, kSteps>;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// The vectors of this rank and how it walks them.
class Streams {
 public:
  Streams(StreamVectors vectors, const Clock& clock) : vectors_(std::move(vectors)), clock_(clock) {}

  void choose(const std::function<void()>& line_up) {
    line_up();
    choices_ = choose_stream_variants(vectors_);
  }

  /// One round, each step after `line_up`.
  StepRates round(const std::function<void()>& line_up) {
    StepRates rates{};
    for (std::size_t i = 0; i < kSteps; ++i) {
      line_up();
      const Seconds start = clock_.now();
      vectors_.step(kStreamSteps[i], choices_[i].pass);
      rates[i] = kStreamSteps[i].bytes(vectors_.elements()) / (clock_.now() - start).value();
    }
    ++rounds_;
    return rates;
  }

  [[nodiscard]] double deviation() const { return vectors_.deviation(rounds_); }
  [[nodiscard]] const StreamChoices& choices() const { return choices_; }

 private:
  StreamVectors vectors_;
  const Clock& clock_;
  StreamChoices choices_{};
  std::uint64_t rounds_ = 0;
};

std::vector<job::Series> series_of_all() {
  std::vector<job::Series> series;
  for (const std::string_view mode : {"star", "single"}) {
    for (const StreamStep& step : kStreamSteps) series.push_back({step.name, mode, "B/s"});
  }
  return series;
}

/// The rank that is measured alone.
int chosen_rank(const Context& context) {
  const auto ranks = static_cast<std::uint64_t>(context.world.size());
  return static_cast<int>(RandomStream(context.plan.seed).below(ranks));
}

job::Values measure(const Context& context, Streams& streams) {
  const mpi::Communicator& world = context.world;
  const auto together = [&] { world.barrier(); };
  streams.choose(together);
  streams.round(together);  // untimed: pages, caches and clock frequency settle
  const Seconds end = context.clock.now() + time_of_short_test(context.plan);
  return job::repeat(context.ending_by(end), series_of_all(), [&] {
    const StepRates star = streams.round(together);
    StepRates single;
    single.fill(kNothing);
    mpi::run_alone(world, chosen_rank(context), [&] { single = streams.round([] {}); });
    std::vector<double> both(star.begin(), star.end());
    both.insert(both.end(), single.begin(), single.end());
    return both;
  });
}

constexpr std::array<std::string_view, kSteps> kKeys = {"Copy", "Scale", "Add", "Triad"};

/// GB/s as mean over the ranks of the best that each reached.
double headline(const Repetitions& repetitions) {
  return 1e-9 * spread_of(bests_by_rank(repetitions)).mean;
}

std::vector<SummaryEntry> summary_of(const Plan& plan, const job::Values& values) {
  std::vector<SummaryEntry> summary = {entry("STREAM_VectorSize", plan.sizes.stream),
                                       entry("STREAM_Threads", std::uint64_t{plan.threads})};
  for (std::size_t i = 0; i < kSteps; ++i) {
    summary.push_back(entry("StarSTREAM_" + std::string(kKeys[i]), headline(values[i])));
  }
  for (std::size_t i = 0; i < kSteps; ++i) {
    summary.push_back(entry("SingleSTREAM_" + std::string(kKeys[i]), headline(values[kSteps + i])));
  }
  return summary;
}

/// What the root walked its vectors with; other ranks chose for themselves.
std::string report_of(const Streams& streams) {
  std::string report = "STREAM, rank 0:\n";
  for (std::size_t i = 0; i < kSteps; ++i) {
    report += "  " + std::string(kStreamSteps[i].name) + ": " + name_of(streams.choices()[i]) + "\n";
  }
  return report;
}

Result<Outcome> run(const Context& context) {
  ThreadPool pool(context.plan.threads);
  auto made = StreamVectors::make(context.plan.sizes.stream, pool);
  const Status ready = context.world.agree(made ? Status(Done{}) : Status(made.error()));
  if (!ready) return ready.error();
  Streams streams(std::move(made).value(), context.clock);
  const job::Values values = measure(context, streams);
  const double deviation = job::WorstDeviation(streams.deviation()).over(context.world);
  if (!context.world.is_root()) return Outcome{};
  return Outcome{{.checks = {{"STREAM deviation over the bound on rounding errors", deviation, 1.0}}},
                 summary_of(context.plan, values),
                 report_of(streams)};
}

double words_held(const Plan& plan) {
  return 3.0 * real(plan.sizes.stream);
}

/// Ten vectors pass through memory in the four kernels, all at once and alone. So many figures settle late.
Seconds time_taken(const Plan& plan, Seconds left) {
  constexpr double kUsual = 40.0;
  const Seconds both = time_to_stream(2.0 * 10.0 * real(plan.sizes.stream), plan.rates);
  const Seconds least = both * (plan.effort.repetitions + 1.0);
  const Seconds most = std::max(least, std::min(left, time_of_short_test(plan)));
  return std::clamp(both * kUsual, least, most) + time_to_stream(2.0 * words_held(plan), plan.rates);
}

const Registration kRegistered(kInfo, run, {words_held, time_taken});

}  // namespace
}  // namespace groma::hpcc
