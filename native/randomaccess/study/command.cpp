#include "randomaccess/study/command.hpp"

#include <functional>

#include "base/affinity.hpp"
#include "base/pages.hpp"
#include "job/counted.hpp"
#include "job/events.hpp"
#include "job/interruption.hpp"
#include "randomaccess/errors/error_rates.hpp"
#include "randomaccess/study/owner_cost.hpp"
#include "randomaccess/study/study.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::string_view kTest = "random_access";

/// Collective.
StudyMachine machine_of(const mpi::Communicator& world) {
  const mpi::Communicator node = world.split_by_node();
  const std::uint64_t share = available_memory().value() / static_cast<std::uint64_t>(node.size());
  return {.site = site_of(world), .memory_a_rank = Bytes(world.reduce_to_all(share, mpi::Reduction::kMin))};
}

/// What needs no MPI start: its samples as lines of JSON, and the exit code that its end stands for.
int run_here(std::string_view probe, const StudyOptions& options, const job::Process& process,
             const std::function<Result<EndReason>(SampleSink&)>& measure) {
  const job::Interruption interruption(
      process.cancelled, [] {}, process.give_up);
  JsonLineSink lines(process.out, job::begin_event(probe, options.seed));
  const auto ended = measure(lines);
  if (ended) return ended.value() == EndReason::kInterrupted ? kInterrupted : kOk;
  process.errors << job::error_text(kStudyProgram, ended.error());
  return groma::code_of(ended.error());
}

struct Finished {
  Result<job::Outcome> outcome;
  bool interrupted;
};

/// Collective.
Finished measured(const mpi::Communicator& world, const StudyPlan& plan, const StudyOptions& options,
                  const job::Process& process, std::ostream& events) {
  const job::Interruption interruption(
      process.cancelled, [] {}, process.give_up);
  const SystemClock clock;
  JsonLineSink lines(events, job::begin_event(kTest, options.seed));
  job::NullSink silent;
  SampleSink& sink = world.is_root() ? static_cast<SampleSink&>(lines) : silent;
  const Seconds until = clock.now() + plan.effort.budget;
  Result<job::Outcome> outcome =
      run_study({world, clock, process.cancelled, sink, plan.effort.repetitions, until}, plan);
  job::report_signal(world, process, kStudyProgram, interruption.signal());
  const bool cancelled = world.reduce_to_all(std::int32_t{process.cancelled}, mpi::Reduction::kMax) != 0;
  return {std::move(outcome), cancelled};
}

/// What a person reads who started the program by hand.
void print_result(std::ostream& out, const StudyPlan& plan, const job::Outcome& outcome) {
  out << "algorithm " << plan.algorithm->name;
  if (!plan.grid.empty()) out << " on a grid of " << grid_text(plan.grid);
  out << ", mapping mode " << plan.mode.number << ", table of " << plan.words << " words\n";
  for (const job::Check& check : outcome.checks) {
    out << check.name << ' ' << check.value << ", at most " << check.limit << " allowed\n";
  }
  out << outcome.facts.json().text() << '\n' << std::flush;
}

int code_of(const Finished& ended, bool valid) {
  if (ended.interrupted) return kInterrupted;
  return valid ? kOk : kInvalid;
}

int run_plan(const mpi::Communicator& world, const StudyOptions& options, const StudyPlan& plan,
             const job::Process& process) {
  job::EventStream events(options.events, world.is_root(), process.out);
  if (const Status status = world.agree(events.status()); !status) {
    return job::fail(world, process, kStudyProgram, status.error());
  }
  const Json run = job::run_event(world, to_json(plan)).json();
  if (world.is_root()) events.out() << run.text() << '\n' << std::flush;
  const Finished ended = measured(world, plan, options, process, events.out());
  if (!ended.outcome) return job::fail(world, process, kStudyProgram, ended.outcome.error());
  const job::Outcome& outcome = ended.outcome.value();
  if (world.is_root()) {
    events.out() << job::outcome_event(kTest, outcome).json().text() << '\n' << std::flush;
    if (options.events.value_or("") != "-") print_result(process.out, plan, outcome);
  }
  return job::code_when_written(world, process, kStudyProgram, code_of(ended, outcome.valid()),
                                events.status());
}

Json algorithm_json(const Algorithm& one) {
  return JsonObject()
      .add("name", one.name)
      .add("number", one.number)
      .add("what", one.what)
      .add("takes_grid", one.grid != nullptr)
      .json();
}

Result<ErrorStudy> error_study(const StudyOptions& options) {
  ErrorStudy study{.generator = options.generator,
                   .threads = options.threads.value_or(default_threads(allowed_cpus().size())),
                   .runs = options.runs,
                   .strategies = options.strategies,
                   .seed = options.seed};
  study.words = options.words.value_or(study.words);
  const auto updates = options.updates.of(study.words);
  if (!updates) return updates.error();
  study.updates = updates.value();
  return study;
}

}  // namespace

int run_study_command(const mpi::Communicator& world, const Result<StudyOptions>& options,
                      const job::Process& process) {
  if (!options) return job::fail(world, process, kStudyProgram, options.error());
  const auto plan = study_plan(options.value(), machine_of(world));
  if (!plan) return job::fail(world, process, kStudyProgram, plan.error());
  return run_plan(world, options.value(), plan.value(), process);
}

int plan_study_command(const StudyOptions& options, std::ostream& out, std::ostream& errors) {
  if (options.nodes > options.ranks) {
    const Error error{
        "usage", job::counted(options.ranks, "rank") + " cannot be on " + job::counted(options.nodes, "node"),
        "give at most as many --nodes as --ranks"};
    errors << job::error_text(kStudyProgram, error);
    return groma::code_of(error);
  }
  const auto machine = assumed_machine(options.ranks, options.nodes, available_memory());
  const auto plan = study_plan(options, machine);
  if (!plan) {
    errors << job::error_text(kStudyProgram, plan.error());
    return groma::code_of(plan.error());
  }
  out << to_json(plan.value()).text() << '\n';
  return kOk;
}

int run_errors_command(const StudyOptions& options, const job::Process& process) {
  return run_here("errors", options, process, [&](SampleSink& lines) -> Result<EndReason> {
    const auto study = error_study(options);
    if (!study) return study.error();
    return measure_errors(study.value(), SystemClock(), process.cancelled, lines);
  });
}

int run_owner_command(const StudyOptions& options, const job::Process& process) {
  return run_here("owner", options, process, [&](SampleSink& lines) {
    return measure_owner_cost(options, SystemClock(), process.cancelled, lines);
  });
}

void list_algorithms(std::ostream& out) {
  for (const Algorithm* one : Algorithms::all()) out << algorithm_json(*one).text() << '\n';
}

}  // namespace groma::randomaccess
