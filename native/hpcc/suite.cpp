#include "hpcc/suite.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/build_info.hpp"
#include "hpcc/blas.hpp"
#include "hpcc/estimate.hpp"
#include "job/events.hpp"

namespace groma::hpcc {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string all_names() {
  std::string names;
  for (const Benchmark* one : Benchmarks::all())
    names.append(names.empty() ? "" : ", ").append(one->info.name);
  return names;
}

Status known(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (Benchmarks::find(name) == nullptr) {
      return Error{"usage", "no test is called '" + name + "'", "the tests are " + all_names()};
    }
  }
  return Done{};
}

/// Those of the root go to `events`.
class TestSink {
 public:
  TestSink(const mpi::Communicator& world, const Plan& plan, std::string_view test, std::ostream& events)
      : is_root_(world.is_root()), lines_(events, job::begin_event(test, plan.seed)) {}
  [[nodiscard]] SampleSink& sink() { return is_root_ ? static_cast<SampleSink&>(lines_) : null_sink_; }

 private:
  bool is_root_;
  JsonLineSink lines_;
  job::NullSink null_sink_;
};

/// Collective.
JsonObject run_event(const mpi::Communicator& world, const Plan& plan) {
  return job::run_event(world, to_json(plan)).add("blas", blas_library());
}

JsonObject outcome_event(std::string_view test, const Outcome& outcome) {
  JsonObject summary;
  for (const SummaryEntry& one : outcome.summary) summary.add(one.key, one.value);
  return job::outcome_event(test, outcome).add("summary", summary.json());
}

void write_event(std::ostream& events, const JsonObject& event) {
  events << event.json().text() << '\n' << std::flush;
}

}  // namespace

Result<std::vector<std::string>> chosen_tests(const Options& options) {
  for (const auto* names : {&options.only, &options.skip}) {
    if (const Status status = known(*names); !status) return status.error();
  }
  std::vector<std::string> chosen;
  for (const Benchmark* one : Benchmarks::all()) {
    const bool wanted = options.only.empty() || contains(options.only, one->info.name);
    if (wanted && !contains(options.skip, one->info.name)) chosen.emplace_back(one->info.name);
  }
  if (chosen.empty()) return Error{"usage", "no test is left to run", "leave out --skip"};
  return chosen;
}

bool SuiteResult::valid() const {
  return std::ranges::all_of(ran, [](const BenchmarkResult& one) { return one.outcome.valid(); });
}

RunFacts facts_of(const mpi::Communicator& world) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return {.ranks = world.size(),
          .clock_tick = Seconds(MPI_Wtick()),
          .host = host.data(),
          .version = std::string(build_version()),
          .compiler = std::string(build_compiler()),
          .mpi = mpi::library(),
          .blas = blas_library(),
          .started = std::time(nullptr),
          .ended = std::time(nullptr)};
}

SuiteResult run_suite(const mpi::Communicator& world, const Plan& plan, Seconds end,
                      const std::atomic<bool>& cancelled, std::ostream& events, SuiteObserver& watcher) {
  const SystemClock clock;
  SuiteResult result;
  set_blas_threads(plan.threads);
  const JsonObject run = run_event(world, plan);
  if (world.is_root()) write_event(events, run);
  for (const std::string& name : plan.tests) {
    result.interrupted = world.reduce_to_all(std::int32_t{cancelled}, mpi::Reduction::kMax) != 0;
    if (result.interrupted) break;
    const Benchmark& benchmark = *Benchmarks::find(name);
    if (world.is_root()) watcher.begins(benchmark, result.ran.size(), plan.tests.size());
    BenchmarkResult ran;
    ran.name = name;
    // What a test may spend beyond its repetitions must not be taken from those after it.
    const Seconds until = end - time_after(name, plan);
    TestSink samples(world, plan, name, events);
    const job::Measuring measuring{world, clock,       cancelled, samples.sink(), plan.effort.repetitions,
                                   until, &ran.figures};
    Result<Outcome> outcome = benchmark.run({measuring, plan});
    if (!outcome) {
      result.failure = outcome.error();
      break;
    }
    ran.outcome = std::move(outcome).value();
    ran.ended = std::time(nullptr);
    result.ran.push_back(std::move(ran));
    if (world.is_root()) write_event(events, outcome_event(name, result.ran.back().outcome));
    if (world.is_root()) watcher.ended(result);
  }
  result.interrupted |= world.reduce_to_all(std::int32_t{cancelled}, mpi::Reduction::kMax) != 0;
  return result;
}

}  // namespace groma::hpcc
