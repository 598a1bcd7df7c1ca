#include "hpcc/suite.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/build_info.hpp"
#include "hpcc/blas.hpp"
#include "hpcc/estimate.hpp"
#include "hpcc/events.hpp"
#include "mpi/placement.hpp"

namespace groma::hpcc {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status known(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (find_benchmark(name) == nullptr) {
      return Error{"usage", "no test is called '" + name + "'", "groma list and groma-hpcc list name them"};
    }
  }
  return Done{};
}

/// One benchmark; its samples go to the events of the root.
Result<Outcome> run_one(const Benchmark& benchmark, Context context, std::ostream& events) {
  const JsonObject header =
      JsonObject().add("event", "begin").add("probe", benchmark.info.name).add("seed", context.plan.seed);
  SilentSink silent;
  JsonLineSink lines(events, header);
  SampleSink& sink = context.world.is_root() ? static_cast<SampleSink&>(lines) : silent;
  const Context with_sink{context.world, context.plan,  context.clock,  context.cancelled,
                          sink,          context.until, context.figures};
  return benchmark.run(with_sink);
}

}  // namespace

Result<std::vector<std::string>> chosen_tests(const Options& options) {
  for (const auto* names : {&options.only, &options.skip}) {
    if (const Status status = known(*names); !status) return status.error();
  }
  std::vector<std::string> chosen;
  for (const Benchmark* one : registered_benchmarks()) {
    const bool wanted = options.only.empty() || contains(options.only, one->info.name);
    if (wanted && !contains(options.skip, one->info.name)) chosen.emplace_back(one->info.name);
  }
  if (chosen.empty()) return Error{"usage", "no test is left to run", "leave out --skip"};
  return chosen;
}

bool SuiteResult::valid() const {
  return std::all_of(ran.begin(), ran.end(), [](const Ran& one) {
    return std::all_of(one.outcome.checks.begin(), one.outcome.checks.end(),
                       [](const Check& check) { return check.passed(); });
  });
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

SuiteResult run_suite(const mpi::Communicator& world, const Plan& plan, const std::atomic<bool>& cancelled,
                      std::ostream& events, SuiteWatcher& watcher) {
  const SystemClock clock;
  const Seconds end = clock.now() + plan.effort.budget;
  SilentSink silent;
  SuiteResult result;
  set_blas_threads(plan.threads);
  const auto placement = mpi::gather_placement(world);
  if (world.is_root()) events << run_line(world, to_json(plan), placement).text() << '\n' << std::flush;
  for (const std::string& name : plan.tests) {
    result.interrupted = world.reduce_to_all(std::int32_t{cancelled}, mpi::Reduction::kMax) != 0;
    if (result.interrupted) break;
    const Benchmark& benchmark = *find_benchmark(name);
    if (world.is_root()) watcher.begins(benchmark, result.ran.size(), plan.tests.size());
    Ran ran;
    ran.name = name;
    // What a test may spend beyond its repetitions must not be taken from those after it.
    const Seconds until = end - time_after(name, plan);
    const Context context{world, plan, clock, cancelled, silent, until, &ran.figures};
    Result<Outcome> outcome = run_one(benchmark, context, events);
    if (!outcome) {
      result.failure = outcome.error();
      break;
    }
    ran.outcome = std::move(outcome).value();
    ran.ended = std::time(nullptr);
    result.ran.push_back(std::move(ran));
    if (world.is_root()) events << outcome_line(name, result.ran.back().outcome).text() << '\n' << std::flush;
    if (world.is_root()) watcher.ended(result);
  }
  result.interrupted |= world.reduce_to_all(std::int32_t{cancelled}, mpi::Reduction::kMax) != 0;
  return result;
}

}  // namespace groma::hpcc
