#include "hpcc/suite.hpp"

#include <algorithm>
#include <filesystem>

#include "base/build_info.hpp"
#include "hpcc/blas.hpp"
#include "hpcc/hpccinf.hpp"
#include "mpi/placement.hpp"

namespace groma::hpcc {
namespace {

constexpr std::uint64_t kBlockSize = 192;
constexpr double kMemoryShare = 0.25;  ///< of what is free, for the matrix of a run that nobody sized
constexpr std::string_view kUsualInput = "hpccinf.txt";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status known(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (find_benchmark(name) == nullptr) {
      return Error{"usage", "no test is called '" + name + "'", "groma-hpcc list names them"};
    }
  }
  return Done{};
}

Result<Input> input_for(const Options& options, int ranks, Bytes memory_of_all) {
  const bool usual =
      !options.input && options.n.empty() && !options.memory && std::filesystem::exists(kUsualInput);
  if (options.input || usual) return read_hpccinf(options.input.value_or(std::string(kUsualInput)));
  const auto share = static_cast<std::uint64_t>(kMemoryShare * static_cast<double>(memory_of_all.value()));
  return sized_input(options.memory.value_or(Bytes(share)), ranks,
                     options.nb.empty() ? kBlockSize : options.nb.front());
}

class NullSink final : public SampleSink {
 public:
  void begin(const std::vector<Case>& /*cases*/) override {}
  void sample(std::size_t /*which*/, std::uint32_t /*round*/, double /*value*/) override {}
  void round(const RoundReport& /*report*/) override {}
  void end(Ended /*ended*/) override {}
};

Json check_json(const Check& check) {
  return JsonObject()
      .add("name", check.name)
      .add("value", check.value)
      .add("limit", check.limit)
      .add("passed", check.passed())
      .json();
}

Json warning_json(const Error& warning) {
  return JsonObject().add("code", warning.code).add("what", warning.what).add("next", warning.next).json();
}

Json outcome_line(const Ran& ran) {
  std::vector<Json> checks;
  for (const Check& check : ran.outcome.checks) checks.push_back(check_json(check));
  std::vector<Json> warnings;
  for (const Error& warning : ran.outcome.warnings) warnings.push_back(warning_json(warning));
  JsonObject summary;
  for (const SummaryEntry& one : ran.outcome.summary) summary.add(one.key, one.value);
  return JsonObject()
      .add("event", "outcome")
      .add("benchmark", ran.name)
      .add("checks", checks)
      .add("summary", summary.json())
      .add("warnings", warnings)
      .json();
}

Json run_line(const mpi::Communicator& world, const Plan& plan, const std::vector<Json>& placement) {
  return JsonObject()
      .add("event", "run")
      .add("ranks", world.size())
      .add("mpi", mpi::library())
      .add("blas", blas_library())
      .add("build", build_info())
      .add("plan", to_json(plan))
      .add("placement", placement)
      .json();
}

/// One benchmark; its samples go to the events of the root.
Result<Outcome> run_one(const Benchmark& benchmark, Context context, std::ostream& events) {
  const JsonObject header =
      JsonObject().add("event", "begin").add("probe", benchmark.info.name).add("seed", context.plan.seed);
  NullSink silent;
  JsonLineSink lines(events, header);
  SampleSink& sink = context.world.is_root() ? static_cast<SampleSink&>(lines) : silent;
  const Context with_sink{context.world, context.plan, context.clock, context.cancelled, sink, context.until};
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

Result<Plan> plan_for(const Options& options, int ranks, Bytes memory_of_all) {
  Result<Input> read = input_for(options, ranks, memory_of_all);
  if (!read) return read.error();
  Input input = std::move(read).value();
  if (!options.n.empty()) input.n = options.n;
  if (!options.nb.empty()) input.nb = options.nb;
  if (!options.grids.empty()) input.grids = options.grids;
  input.fft_sizes = options.fft_sizes;
  Result<Plan> planned = plan_from(input, ranks);
  if (!planned) return planned.error();
  const auto tests = chosen_tests(options);
  if (!tests) return tests.error();
  Plan plan = std::move(planned).value();
  plan.tests = tests.value();
  plan.effort = options.effort;
  plan.threads = options.threads;
  plan.seed = options.seed;
  plan.curves = options.curves;
  plan.random_access = options.random_access;
  const std::uint64_t needed = memory_per_rank(plan).value() * static_cast<std::uint64_t>(ranks);
  if (needed > memory_of_all.value()) {
    return Error{"memory",
                 "the run needs " + std::to_string(needed >> 20U) + " MiB, but " +
                     std::to_string(memory_of_all.value() >> 20U) + " MiB are free",
                 "choose a smaller N, or --memory"};
  }
  return plan;
}

bool SuiteResult::valid() const {
  return std::all_of(ran.begin(), ran.end(), [](const Ran& one) {
    return std::all_of(one.outcome.checks.begin(), one.outcome.checks.end(),
                       [](const Check& check) { return check.passed(); });
  });
}

Result<SuiteResult> run_suite(const mpi::Communicator& world, const Plan& plan,
                              const std::atomic<bool>& cancelled, std::ostream& events) {
  const SystemClock clock;
  const Seconds until = clock.now() + plan.effort.budget;
  NullSink silent;
  const Context context{world, plan, clock, cancelled, silent, until};
  set_blas_threads(plan.threads);
  const auto placement = mpi::gather_placement(world);
  if (world.is_root()) events << run_line(world, plan, placement).text() << std::endl;
  SuiteResult result;
  for (const std::string& name : plan.tests) {
    Result<Outcome> outcome = run_one(*find_benchmark(name), context, events);
    if (!outcome) return outcome.error();
    result.ran.push_back({name, std::move(outcome).value()});
    if (world.is_root()) events << outcome_line(result.ran.back()).text() << std::endl;
    result.interrupted = world.reduce_to_all(std::int32_t{cancelled}, mpi::Reduction::kMax) != 0;
    if (result.interrupted) break;
  }
  return result;
}

}  // namespace groma::hpcc
