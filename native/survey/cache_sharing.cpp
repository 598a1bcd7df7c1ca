// Which cores share which caches, by eviction (docs/probes/cache_sharing.md).
#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "survey/beyond_cache.hpp"
#include "survey/eviction.hpp"
#include "survey/probe.hpp"
#include "survey/sharing_plan.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "cache_sharing",
    .title = "Shared caches",
    .measures =
        "time of one dependent load (s) of a core from a set it has cached, after nothing happened, after "
        "other cores read sets of their own, and after it read another set itself",
    .method =
        "victims fill a cache, evictors read, victims read again; groups of the declared topology against "
        "each "
        "other by the bits of their numbers, and sampled members of each group in pairs",
    .traffic = "two sets of 0.7 of a cache per sample, no flops; up to 8 Ki timed loads",
    .reference = "Servet (Gonzalez-Dominguez et al.), section 3: shared caches; docs/probes/cache_sharing.md",
    .order = 45,
    .parameters =
        {
            {"budget", "1", "4", "20", "seconds after which sampling stops"},
            {"rounds", "12", "40", "120", "rounds after which sampling stops"},
            {"sets", "auto", "auto", "auto",
             "bytes of the sets, with commas; auto takes them from the declared caches", "sizes"},
            {"groups", "32", "64", "256", "maximum number of declared instances of a cache to test"},
            {"members", "3", "4", "8", "maximum number of cores of each instance to test"},
        },
};

/// Up to here victims are tested one after the other, which shows exactly which core evicts which; above,
/// that would take too long.
constexpr Bytes kInTurn = 2_MiB;
constexpr std::size_t kMaxSelfEvicting = 4;
constexpr std::size_t kMaxSelfEvictingLarge = 2;

/// Sets beyond the private caches cost most and scatter least.
std::uint32_t every_nth_round(Bytes set) {
  return set <= kInTurn ? 1 : 3;
}

std::size_t repeats_of(Bytes set) {
  if (set <= 256_KiB) return 4;
  return set <= kInTurn ? 2 : 1;
}

/// A sample reads the set twice and two more for eviction twice, at what a slow remote node gives.
Seconds time_of_look(Bytes set) {
  constexpr BytesPerSecond kSlow{5e9};
  return Seconds(static_cast<double>(6 * set.value()) / kSlow.value());
}

/// Fewer than three samples are no evidence: a test for which the budget allows fewer is left out.
bool is_affordable(const SharingStage& stage, Seconds budget) {
  constexpr double kMinSamples = 3.0;
  const double samples = 2.0 * static_cast<double>(sharing_tests(stage).size()) + kMaxSelfEvictingLarge;
  return stage.set <= kInTurn || time_of_look(stage.set) * (samples * kMinSamples) <= budget;
}

/// Whole bytes up to 1 TiB, whose sum does not overflow, with commas between them; nothing where it is
/// anything else.
std::optional<std::vector<Bytes>> parse_sets(const std::string& text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  std::vector<Bytes> sets;
  std::istringstream fields(text);
  for (std::string field; std::getline(fields, field, ',');) {
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), bytes);
    if (error != std::errc() || end != field.data() + field.size() || bytes == 0 || bytes > kMost)
      return std::nullopt;
    sets.emplace_back(bytes);
  }
  return sets;
}

Result<std::vector<SharingStage>> choose_stages(const Context& context) {
  const SamplingLimits limits{context.parameters.count("groups"), context.parameters.count("members")};
  const std::string& asked = context.parameters.text("sets");
  if (asked == "auto") {
    std::vector<SharingStage> stages = sharing_stages(context.topology, limits);
    const Seconds budget(context.parameters.number("budget"));
    std::erase_if(stages, [&](const SharingStage& stage) { return !is_affordable(stage, budget); });
    return stages;
  }
  const auto sets = parse_sets(asked);
  if (sets && !sets->empty()) return sharing_stages(context.topology, limits, *sets);
  return Error{"usage", "parameter sets takes bytes with commas, not '" + asked + "'",
               "write for example sets=24576,720896"};
}

using SetsOfCore = std::map<LogicalCore, std::vector<Bytes>>;

SetsOfCore with_stage(SetsOfCore sets, const SharingStage& stage) {
  for (const LogicalCore core : participants(stage)) sets[core].push_back(stage.set);
  return sets;
}

Bytes room_for(const SetsOfCore& sets) {
  Bytes room;
  for (const auto& [core, own] : sets) room = room + CoreSets::room_for(own);
  return room;
}

/// For one stage at least.
Bytes least_memory(const std::vector<SharingStage>& stages) {
  Bytes least(std::numeric_limits<std::uint64_t>::max());
  for (const SharingStage& stage : stages) least = std::min(least, room_for(with_stage({}, stage)) * 4);
  return least;
}

/// Drops the stages that do not fit into a quarter of the memory; returns the sets of each core.
SetsOfCore fit_into_memory(std::vector<SharingStage>& stages, Bytes memory) {
  SetsOfCore sets;
  std::erase_if(stages, [&](const SharingStage& stage) {
    SetsOfCore wanted = with_stage(sets, stage);
    if (room_for(wanted) > memory / 4) return true;
    sets = std::move(wanted);
    return false;
  });
  return sets;
}

std::vector<std::uint32_t> numbers(const std::vector<LogicalCore>& cores) {
  std::vector<std::uint32_t> found(cores.size());
  std::ranges::transform(cores, found.begin(), [](LogicalCore core) { return core.number(); });
  return found;
}

std::vector<LogicalCore> without(std::vector<LogicalCore> cores, LogicalCore core) {
  std::erase(cores, core);
  return cores;
}

/// What is sampled and by which task. Tests live here because tasks refer to them.
class Plan {
 public:
  Plan(EvictionBench& bench, TaskStatus& failures) : bench_(bench), failures_(failures) {}

  void add(const SharingStage& stage) {
    std::set<LogicalCore> victims;
    for (const SharingTest& test : sharing_tests(stage)) {
      add(stage, test, EvictionSource::kNone, stage.set <= kInTurn);
      add(stage, test, EvictionSource::kOthers, stage.set <= kInTurn);
      victims.insert(test.victims.begin(), test.victims.end());
    }
    const CoreGroups all = {{victims.begin(), victims.end()}};
    const std::size_t most = stage.set <= kInTurn ? kMaxSelfEvicting : kMaxSelfEvictingLarge;
    if (!victims.empty()) add(stage, {sampled(all, 1, most).front(), {}}, EvictionSource::kSelf, true);
  }

  [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }
  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }

 private:
  void add(const SharingStage& stage, const SharingTest& test, EvictionSource by, bool in_turn) {
    const SharingTest& kept = tests_.emplace_back(test);
    tasks_.push_back({[this, &kept, set = stage.set, by, in_turn, first = cases_.size()](Recorder& recorder) {
                        const auto samples = bench_.run(kept, set, by, in_turn, repeats_of(set));
                        if (!samples) return failures_.note(samples.error());
                        for (std::size_t i = 0; i < kept.victims.size(); ++i) {
                          const auto time = quietest(samples.value()[i]);
                          if (time) {
                            recorder.sample(first + i, time->value());
                          } else {
                            recorder.discard();
                          }
                        }
                      },
                      every_nth_round(stage.set)});
    for (const LogicalCore victim : test.victims) {
      Case described("s");
      described.with("size_bytes", stage.set.value())
          .with("level", stage.level)
          .with("core", victim.number())
          .with("evicted", name_of(by));
      if (by == EvictionSource::kOthers) {
        described.with("others", numbers(test.evictors));
        if (!in_turn) described.with("beside", numbers(without(test.victims, victim)));
      }
      cases_.push_back(described);
    }
  }

  EvictionBench& bench_;
  TaskStatus& failures_;
  std::deque<SharingTest> tests_;
  std::vector<Case> cases_;
  std::vector<Task> tasks_;
};

Status run(const Context& context) {
  Result<std::vector<SharingStage>> stages = choose_stages(context);
  if (!stages) return stages.error();
  if (context.topology.allowed.size() < 2) {
    return Error{"probe.needs_cores", "shared caches need two cores, but this process may use only one",
                 "widen the affinity mask or the cpuset"};
  }
  if (stages.value().empty()) {
    return Error{"probe.no_time", "the budget is too short for sets of the declared caches: not measured",
                 "give it more time (--budget TIME)"};
  }
  const Bytes least = least_memory(stages.value());
  const SetsOfCore sets = fit_into_memory(stages.value(), context.memory);
  if (stages.value().empty()) return too_little_memory("cache sharing", least, context.memory);
  SamplingRule rule = context.parameters.rule();
  rule.quantile = 0.25;
  rule.min_rounds = std::min<std::uint32_t>(rule.max_rounds, 12);
  auto bench = EvictionBench::prepare(context.topology, sets, RandomStream(rule.seed));
  if (!bench) return bench.error();
  TaskStatus failures;
  Plan plan(bench.value(), failures);
  for (const SharingStage& stage : stages.value()) plan.add(stage);
  context.sample(plan.cases(), plan.tasks(), rule);
  return failures.status();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
