// Cost and resolution of the timers, and the effective frequency of the cores (docs/probes/clock.md).
#include <algorithm>
#include <limits>

#include "base/affinity.hpp"
#include "base/do_not_optimize.hpp"
#include "survey/cycle_counter.hpp"
#include "survey/instruction_chain.hpp"
#include "survey/probe.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "clock",
    .title = "Timers and core frequency",
    .measures =
        "time of one reading of each timer (s), its smallest step (s), rate of the cycle counter (Hz), "
        "time of one step of chains of dependent instructions (s)",
    .method =
        "back-to-back readings; chains of additions, exclusive ors and multiplications whose latency in "
        "cycles is known, on a sample of the cores",
    .traffic = "no memory; 3 x 60 000 integer operations per sample of a core",
    .reference = "docs/probes/clock.md",
    .order = 10,
    .parameters =
        {
            {"budget", "0.4", "1", "5", "seconds after which sampling stops"},
            {"rounds", "40", "100", "400", "rounds after which sampling stops"},
            {"cores", "4", "8", "64", "cores sampled, spread evenly over the allowed ones"},
        },
};

constexpr std::uint32_t kReadings = 1'000;
constexpr std::uint32_t kSteps = 60'000;
/// A core that was idle runs slowly at first.
constexpr Seconds kWarmUp{0.5e-3};

std::uint64_t kernel_clock() {
  return static_cast<std::uint64_t>(monotonic_ns());
}

struct Timer {
  std::string_view name;
  std::uint64_t (*read)();
  double ticks_per_second;
};

Seconds reading_cost(const Timer& timer) {
  const std::int64_t start = monotonic_ns();
  for (std::uint32_t i = 0; i < kReadings; ++i) do_not_optimize(timer.read());
  return between(start, monotonic_ns()) / static_cast<double>(kReadings);
}

/// Smallest difference above zero of successive readings; infinite where the timer stood still.
Seconds smallest_step(const Timer& timer) {
  double least = std::numeric_limits<double>::infinity();
  std::uint64_t before = timer.read();
  for (std::uint32_t i = 0; i < kReadings; ++i) {
    const std::uint64_t now = timer.read();
    if (now > before) least = std::min(least, static_cast<double>(now - before));
    before = now;
  }
  return Seconds(least / timer.ticks_per_second);
}

/// Over half a millisecond, so that the cost of reading the kernel's clock hardly counts.
double counter_rate() {
  const std::int64_t start_ns = monotonic_ns();
  const std::uint64_t start = cycle_counter();
  while (between(start_ns, monotonic_ns()) < Seconds(0.5e-3)) {
  }
  const std::uint64_t ticks = cycle_counter() - start;
  return static_cast<double>(ticks) / between(start_ns, monotonic_ns()).value();
}

std::vector<Timer> timers() {
  std::vector<Timer> all = {{"clock_gettime", kernel_clock, 1e9}};
  if (kHasCycleCounter) all.push_back({"cycle_counter", cycle_counter, counter_rate()});
  return all;
}

/// `most` of the cores, the first one always, evenly spread.
std::vector<LogicalCore> spread(const std::vector<LogicalCore>& cores, std::size_t most) {
  const std::size_t count = std::min(std::max<std::size_t>(most, 1), cores.size());
  std::vector<LogicalCore> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(cores[i * cores.size() / count]);
  return chosen;
}

void warm_up_core() {
  const std::int64_t start = monotonic_ns();
  while (between(start, monotonic_ns()) < kWarmUp) time_chain(Chain::kAdd, kSteps / 10);
}

/// Collects what is sampled and by which task.
struct Plan {
  std::vector<Case> cases;
  std::vector<Task> tasks;

  void add(Case described, std::function<Seconds()> measure) {
    tasks.push_back({[measure = std::move(measure), which = cases.size()](Recorder& recorder) {
      const double value = measure().value();
      if (value < std::numeric_limits<double>::infinity()) recorder.sample(which, value);
    }});
    cases.push_back(std::move(described));
  }

  void add_timer(const Timer& timer) {
    const auto named = [&](std::string_view measure) {
      return Case("s").with("measure", measure).with("timer", timer.name);
    };
    add(named("timer_cost"), [timer] { return reading_cost(timer); });
    add(named("timer_resolution"), [timer] { return smallest_step(timer); });
  }

  void add_counter_rate() {
    tasks.push_back(
        {[which = cases.size()](Recorder& recorder) { recorder.sample(which, counter_rate()); }, 4});
    cases.push_back(Case("Hz").with("measure", "counter_frequency").with("timer", "cycle_counter"));
  }

  void add_core(LogicalCore core, PhysicalCore cpu, TaskStatus& failures) {
    tasks.push_back({[cpu, &failures, first = cases.size()](Recorder& recorder) {
      if (const Status pinned = pin_this_thread(cpu); !pinned) return failures.note(pinned);
      warm_up_core();
      for (std::size_t i = 0; i < kChains.size(); ++i) {
        recorder.sample(first + i, time_chain(kChains[i], kSteps).value());
      }
    }});
    for (const Chain chain : kChains) {
      cases.push_back(
          Case("s").with("measure", "chain_step").with("chain", name_of(chain)).with("core", core.number()));
    }
  }
};

Status run(const Context& context) {
  Plan plan;
  TaskStatus failures;
  for (const Timer& timer : timers()) plan.add_timer(timer);
  if (kHasCycleCounter) plan.add_counter_rate();
  for (const LogicalCore core : spread(context.topology.allowed, context.parameters.count("cores"))) {
    plan.add_core(core, context.topology.physical(core), failures);
  }
  SamplingRule rule = context.parameters.rule();
  // Rounds are a few milliseconds: settling early would see one moment of the machine only.
  rule.min_rounds = rule.max_rounds;
  context.sample(plan.cases, plan.tasks, rule);
  return failures.status();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
