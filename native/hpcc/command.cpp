#include "hpcc/command.hpp"

#include <iomanip>
#include <mutex>

#include "hpcc/calibration.hpp"
#include "hpcc/estimate.hpp"
#include "hpcc/hpccoutf.hpp"
#include "hpcc/results_table.hpp"
#include "hpcc/sizing.hpp"
#include "job/interruption.hpp"
#include "job/output_file.hpp"

namespace groma::hpcc {
namespace {

/// The root's results so far, as they are to be left when the run is broken off.
class Progress final : public SuiteObserver {
 public:
  Progress(RunFacts facts, const Plan& plan, const Options& options, const job::Process& process)
      : facts_(std::move(facts)), plan_(plan), process_(process), file_(options.output, options.append) {}

  void begins(const Benchmark& benchmark, std::size_t index, std::size_t count) override {
    if (!process_.progress) return;
    process_.errors << "[" << index + 1 << "/" << count << "] " << benchmark.info.title << ", about "
                    << std::fixed << std::setprecision(0)
                    << std::ceil(time_of(benchmark.info.name, plan_).value()) << " s\n"
                    << std::flush;
  }

  void ended(const SuiteResult& so_far) override {
    const std::lock_guard lock(mutex_);
    so_far_ = so_far;
  }

  [[nodiscard]] Status check() const { return file_.check(); }

  Status save(const SuiteResult& result) {
    facts_.ended = std::time(nullptr);
    return file_.write(hpccoutf_text(facts_, plan_, result));
  }

  /// From another thread, while the suite runs.
  void save_interrupted() {
    const std::lock_guard lock(mutex_);
    so_far_.interrupted = true;
    if (over_) return;
    if (const Status saved = save(so_far_); !saved)
      process_.errors << job::error_text(kProgram, saved.error());
  }

  /// The suite is over: what is saved from now on is the result itself.
  void finish() {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }

 private:
  RunFacts facts_;
  const Plan& plan_;
  const job::Process& process_;
  job::OutputFile file_;
  std::mutex mutex_;
  SuiteResult so_far_;
  bool over_ = false;
};

/// Only the root reads files: the others may run where there are none. Collective.
Result<std::optional<InputText>> common_input(const mpi::Communicator& world, const Options& options) {
  Result<std::optional<InputText>> found = std::optional<InputText>();
  if (world.is_root()) found = find_input(options);
  if (const Status status = world.agree(found ? Status(Done{}) : Status(found.error())); !status) {
    return status.error();
  }
  const std::optional<InputText>& own = found.value();
  if (world.broadcast_value(std::int32_t{own.has_value()}) == 0) return found;
  const InputText text = own.value_or(InputText{});
  return std::optional(InputText{world.broadcast_text(text.name), world.broadcast_text(text.text)});
}

Result<Plan> common_plan(const mpi::Communicator& world, const Options& options) {
  const auto input = common_input(world, options);
  if (!input) return input.error();
  Machine machine = machine_under(world);
  set_rates(machine, options.rates, options.threads,
            [&] { return slowest_basics(world, basics_of_rank(machine, options.threads)); });
  // Without a budget there is nothing to fit into it, and no time to measure in.
  if (options.effort.budget > Seconds(0.0)) {
    machine.network = measure_network(world, SystemClock(), options.seed);
  }
  Result<Plan> plan = plan_for(options, input.value(), machine);
  if (const Status status = world.agree(plan ? Status(Done{}) : Status(plan.error())); !status) {
    return status.error();
  }
  return plan;
}

/// Writes what came of the suite. On the root.
Status deliver(const SuiteResult& result, const Options& options, Progress& progress,
               job::EventStream& events, const job::Process& process) {
  progress.finish();
  Status saved = progress.save(result);
  if (options.events.value_or("") != "-") process.out << results_table(result) << std::flush;
  if (result.failure) process.errors << job::error_text(kProgram, *result.failure) << std::flush;
  if (!saved) return saved;
  return events.status();
}

/// `end` is that of the budget.
int run_plan(const mpi::Communicator& world, const Options& options, const Plan& plan, Seconds end,
             const job::Process& process) {
  job::EventStream events(options.events, world.is_root(), process.out);
  Progress progress(facts_of(world), plan, options, process);
  Status ready = events.status();
  if (ready && world.is_root()) ready = progress.check();
  if (const Status status = world.agree(ready); !status)
    return job::fail(world, process, kProgram, status.error());
  if (world.is_root()) {
    for (const std::string& warning : plan.warnings)
      process.errors << job::note_text(kProgram, warning) << std::flush;
  }
  SuiteResult result;
  int signal = 0;
  {
    const bool is_root = world.is_root();
    const job::Interruption interruption(
        process.cancelled,
        [&] {
          if (is_root) progress.save_interrupted();
        },
        process.give_up);
    result = run_suite(world, plan, end, process.cancelled, events.out(), progress);
    signal = interruption.signal();
  }
  job::report_signal(world, process, kProgram, signal);
  Status delivered = Done{};
  if (world.is_root()) delivered = deliver(result, options, progress, events, process);
  return job::code_when_written(world, process, kProgram, code_of(result), delivered);
}

}  // namespace

int code_of(const SuiteResult& result) {
  if (result.interrupted) return kInterrupted;
  if (result.failure) return groma::code_of(*result.failure);
  return result.valid() ? kOk : kInvalid;
}

int run_command(const mpi::Communicator& world, const Result<Options>& options, const job::Process& process) {
  if (!options) return job::fail(world, process, kProgram, options.error());
  const Seconds end = SystemClock().now() + options.value().effort.budget;
  const Result<Plan> plan = common_plan(world, options.value());
  if (!plan) return job::fail(world, process, kProgram, plan.error());
  if (const Status status = check_benchmarks(plan.value(), &world); !status) {
    return job::fail(world, process, kProgram, status.error());
  }
  return run_plan(world, options.value(), plan.value(), end, process);
}

int plan_command(const Options& options, std::ostream& out, std::ostream& errors) {
  Machine machine = machine_like_this(options.ranks, options.on_each.value_or(options.ranks));
  set_rates(machine, options.rates, options.threads,
            [&] { return basics_of_node(machine, options.threads); });
  const auto input = find_input(options);
  const Result<Plan> plan = input ? plan_for(options, input.value(), machine) : Result<Plan>(input.error());
  if (!plan) {
    errors << job::error_text(kProgram, plan.error());
    return groma::code_of(plan.error());
  }
  out << to_json(plan.value()).text() << '\n';
  return kOk;
}

}  // namespace groma::hpcc
