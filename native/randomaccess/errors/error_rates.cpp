#include "randomaccess/errors/error_rates.hpp"

#include <algorithm>
#include <bit>

#include "base/pages.hpp"
#include "job/counted.hpp"
#include "randomaccess/verification.hpp"

namespace groma::randomaccess {
namespace {

constexpr Seconds kNoLimit(1e9);  // the number of runs is what was asked for

Error usage(const std::string& what, const std::string& next) {
  return {"usage", what, next};
}

Status fits(std::uint64_t words) {
  if (words <= available_memory().value() / sizeof(std::uint64_t)) return Done{};
  return Error{"memory", "a table of " + std::to_string(words) + " words does not fit into free memory",
               "choose a smaller --table"};
}

Status runnable(const ErrorStudy& study) {
  if (study.threads < 1 || study.threads > kMaxThreads) {
    return usage(std::to_string(study.threads) + " threads cannot share a table",
                 "take 1 to " + std::to_string(kMaxThreads));
  }
  if (!std::has_single_bit(study.words)) {
    return usage("a table of " + std::to_string(study.words) + " words is not a power of two",
                 "take " + std::to_string(std::bit_floor(study.words)));
  }
  if (study.words < study.threads) {
    return usage("a table of " + job::counted(study.words, "word") + " has fewer words than threads",
                 "choose a larger --table");
  }
  return fits(study.words);
}

Result<std::vector<Strategy>> strategies_of(const std::vector<std::string>& names) {
  std::vector<Strategy> strategies;
  for (const std::string& name : names) {
    auto strategy = strategy_named(name);
    if (!strategy) return strategy.error();
    strategies.push_back(std::move(strategy).value());
  }
  return strategies;
}

Case case_of(std::string_view unit, std::string_view series, const Strategy& strategy,
             const ErrorStudy& study) {
  return Case(unit)
      .with("series", series)
      .with("strategy", strategy.name)
      .with("exact", strategy.exact)
      .with("threads", strategy.name == "serial" ? 1 : study.threads)
      .with("table_words", study.words)
      .with("updates", study.updates);
}

Task task_of(std::size_t first_case, const SharedTable& table, const Strategy& strategy,
             std::uint64_t updates) {
  return {[=, apply = strategy.on(table)](Recorder& recorder) {
    const Trial trial = try_updates(table, apply, updates);
    recorder.sample(first_case, trial.time.value());
    recorder.sample(first_case + 1, static_cast<double>(trial.wrong_words));
  }};
}

EndReason measure(const std::vector<Strategy>& strategies, const SharedTable& table, const ErrorStudy& study,
                  const Clock& clock, const std::atomic<bool>& cancelled, SampleSink& sink) {
  std::vector<Case> cases;
  std::vector<Task> tasks;
  for (const Strategy& one : strategies) {
    tasks.push_back(task_of(cases.size(), table, one, study.updates));
    cases.push_back(case_of("s", "time", one, study));
    cases.push_back(case_of("words", "wrong_words", one, study));
  }
  const SamplingRule rule{
      .budget = kNoLimit, .min_rounds = study.runs, .max_rounds = study.runs, .seed = study.seed};
  return sample_interleaved(cases, tasks, rule, clock, cancelled, sink);
}

}  // namespace

std::uint64_t default_threads(std::uint64_t cpus) {
  return std::clamp<std::uint64_t>(cpus, 1, kMaxThreads);
}

Trial try_updates(const SharedTable& table, const ApplySection& apply, std::uint64_t updates) {
  const Section all{0, updates};
  const std::int64_t start = monotonic_ns();
  apply(all);
  const Seconds time = between(start, monotonic_ns());
  return {time, count_wrong_words(table.words, table.generator, all)};
}

Result<EndReason> measure_errors(const ErrorStudy& study, const Clock& clock,
                                 const std::atomic<bool>& cancelled, SampleSink& sink) {
  const auto strategies = strategies_of(study.strategies);
  if (!strategies) return strategies.error();
  if (const Status status = runnable(study); !status) return status.error();
  const auto memory = Block::map(Bytes(study.words * sizeof(std::uint64_t)), PageMode::kHuge);
  if (!memory) return memory.error();
  const SharedTable table{memory.value().as<std::uint64_t>().first(study.words), study.generator,
                          study.threads};
  fill(table.words, 0);
  return measure(strategies.value(), table, study, clock, cancelled, sink);
}

}  // namespace groma::randomaccess
