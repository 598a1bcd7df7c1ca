#include "replay/command.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include "base/file_text.hpp"
#include "job/events.hpp"
#include "job/interruption.hpp"
#include "replay/exchange.hpp"
#include "replay/triad.hpp"

namespace groma::replay {
namespace {

constexpr std::string_view kTest = "replay";

/// What is repeated, and how many of its results were wrong the last time. Both are collective.
struct Kernel {
  std::function<void(std::uint32_t iteration)> iterate;
  std::function<std::uint64_t(std::uint32_t iteration)> wrong;
};

/// The file as the lowest rank reads it that can: a mapping may put rank 0 on a host that has no such file.
/// Collective.
Result<std::string> text_for_all(const mpi::Communicator& world, const std::string& path) {
  const auto content = text_of_file(path);
  const int reader = world.reduce_to_all(content ? world.rank() : world.size(), mpi::Reduction::kMin);
  if (reader == world.size()) {
    return Error{"environment", "no rank can read " + path, "put it into a folder that the hosts share"};
  }
  return world.broadcast_text(content.value_or(""), reader);
}

Result<Kernel> exchange_of(const mpi::Communicator& world, const std::string& path) {
  const auto text = text_for_all(world, path);
  if (!text) return text.error();
  const auto pattern = parse_pattern(text.value(), world.size());
  if (!pattern) return pattern.error();
  const auto exchange = std::make_shared<Exchange>(world, pattern.value());
  return Kernel{[exchange](std::uint32_t iteration) { exchange->iterate(iteration); },
                [exchange](std::uint32_t iteration) { return exchange->wrong_messages(iteration); }};
}

Result<Kernel> triad_of(const mpi::Communicator& world, Bytes size) {
  auto made = Triad::make(size);
  if (const Status all = world.agree(made ? Status(Done{}) : Status(made.error())); !all) return all.error();
  const auto triad = std::make_shared<Triad>(std::move(made).value());
  return Kernel{[triad](std::uint32_t) { triad->iterate(); },
                [triad](std::uint32_t) { return triad->wrong_elements(); }};
}

Result<Kernel> kernel_of(const mpi::Communicator& world, const Options& options) {
  return options.pattern ? exchange_of(world, *options.pattern) : triad_of(world, *options.triad);
}

/// Iterations that take long enough for the clock and the barriers around them. Collective.
std::uint32_t iterations_for(const mpi::Communicator& world, const Clock& clock, const Kernel& kernel) {
  constexpr double kMinSeconds = 0.02;
  constexpr double kMost = 10000.0;
  kernel.iterate(0);  // connections are made, pages are there
  const Seconds once = job::time_together(world, clock, [&] { kernel.iterate(0); });
  return static_cast<std::uint32_t>(std::clamp(kMinSeconds / once.value(), 1.0, kMost));
}

job::Outcome measure(const job::Measuring& measuring, const Kernel& kernel) {
  const mpi::Communicator& world = measuring.world;
  const std::uint32_t iterations = iterations_for(world, measuring.clock, kernel);
  std::uint32_t iteration = 0;
  std::uint64_t wrong = 0;
  job::repeat(measuring, {{"iteration", "mpi", "s"}}, [&]() -> std::vector<double> {
    const Seconds time = job::time_together(world, measuring.clock, [&] {
      for (std::uint32_t i = 0; i < iterations; ++i) kernel.iterate(++iteration);
    });
    wrong += world.reduce_to_all(kernel.wrong(iteration), mpi::Reduction::kSum);
    return {time.value() / iterations};
  });
  job::Outcome outcome;
  outcome.checks = {{"wrong results", static_cast<double>(wrong), 0.0}};
  outcome.facts.add("iterations", iterations);
  return outcome;
}

Json plan_of(const Options& options) {
  return JsonObject()
      .add("tests", std::vector<std::string>{std::string(kTest)})
      .add("repetitions", options.effort.repetitions)
      .add("budget", options.effort.budget.value())
      .json();
}

void say(const mpi::Communicator& world, const job::Process& process, const JsonObject& event) {
  if (world.is_root()) process.out << event.json().text() << '\n' << std::flush;
}

int run(const mpi::Communicator& world, const Options& options, const job::Process& process) {
  say(world, process, job::run_event(world, plan_of(options)));
  const auto kernel = kernel_of(world, options);
  if (!kernel) return job::fail(world, process, kProgram, kernel.error());
  const job::Interruption interruption(
      process.cancelled, [] {}, process.give_up);
  const SystemClock clock;
  JsonLineSink lines(process.out, job::begin_event(kTest, 0));
  job::NullSink silent;
  SampleSink& sink = world.is_root() ? static_cast<SampleSink&>(lines) : silent;
  const Seconds until = clock.now() + options.effort.budget;
  const job::Outcome outcome =
      measure({world, clock, process.cancelled, sink, options.effort.repetitions, until}, kernel.value());
  say(world, process, job::outcome_event(kTest, outcome));
  if (world.reduce_to_all(std::int32_t{process.cancelled}, mpi::Reduction::kMax) != 0) return kInterrupted;
  return outcome.valid() ? kOk : kInvalid;
}

}  // namespace

int run_command(const mpi::Communicator& world, const Result<Options>& options, const job::Process& process) {
  if (!options) return job::fail(world, process, kProgram, options.error());
  return run(world, options.value(), process);
}

}  // namespace groma::replay
