// Which cores slow which when they stream from memory at once (docs/probes/memory_contention.md).
#include <algorithm>
#include <array>
#include <optional>

#include "base/pair_design.hpp"
#include "base/quantile.hpp"
#include "base/team.hpp"
#include "base/topology_queries.hpp"
#include "survey/stream_bench.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "memory_contention",
    .title = "Memory contention between cores",
    .measures = "bandwidth (B/s) of one core alone, and while another core streams",
    .method =
        "a triad on one core, timed with and without the same triad running on the other core all the while; "
        "both in the same visit, pairs interleaved",
    .traffic = "24 bytes and 2 flops per element; 8 MiB per window",
    .reference = "Servet (Gonzalez-Dominguez et al.), section 3, rule 2: memory access overhead",
    .order = 51,
    .parameters =
        {
            {"budget", "0.8", "3", "12", "seconds after which sampling stops, set-up included"},
            {"rounds", "40", "80", "300", "rounds after which sampling stops"},
            {"all_pairs", "16", "16", "32", "up to this many cores every pair is measured"},
            {"sampled_pairs", "60", "120", "500",
             "pairs where there are more cores, spread over their relations"},
            {"slice", "8388608", "8388608", "8388608", "bytes of one timed window", "bytes>=65536"},
            kStreamMemory,
        },
};

/// Windows of one state in a visit; their median is the sample.
constexpr std::size_t kWindows = 3;
constexpr std::size_t kMaxPerRelation = 4096;

/// The bandwidth of `core` in the presence of `other`; the numbers of its two cases.
struct Direction {
  LogicalCore core;
  LogicalCore other;
  std::size_t alone;
  std::size_t together;
};

struct PairPlan {
  std::array<Direction, 2> directions;
  std::array<std::vector<Streamer>, 2> alone;  ///< a team of one each
  std::vector<Streamer> both;
};

using Windows = std::array<WorkWatch, kWindows>;

/// What both cores of a pair saw in one visit.
struct Visit {
  std::array<Windows, 2> alone;
  std::array<Windows, 2> together;
};

struct Bench {
  StreamBench streams;
  Choice choice;
  Bytes slice;
  TaskStatus failures;

  [[nodiscard]] WorkWatch window(const Streamer& streamer) const {
    return time_window(*streamer.ring, choice.pass(), slice);
  }
};

Status measure_alone(const Bench& bench, const Streamer& streamer, Windows& windows) {
  return run_team({streamer.cpu}, [&](const TeamMember&) {
    stream_through(*streamer.ring, bench.choice.pass(), streamer.warm_up);
    for (WorkWatch& one : windows) one = bench.window(streamer);
  });
}

/// Each core is timed in turn while the other streams; the background begins before and ends after.
Status measure_together(const Bench& bench, const std::vector<Streamer>& both,
                        std::array<Windows, 2>& windows) {
  std::array<std::atomic<bool>, 2> timed{};
  std::array<StreamProgress, 2> progress;
  return run_team({both[0].cpu, both[1].cpu}, [&](const TeamMember& member) {
    const Streamer& self = both[member.index];
    stream_through(*self.ring, bench.choice.pass(), self.warm_up);
    for (std::size_t turn = 0; turn < 2; ++turn) {
      member.barrier.wait();
      if (member.index == turn) {
        for (WorkWatch& one : windows[turn]) one = bench.window(self);
        timed[turn] = true;
      } else {
        stream_until(timed[turn], *self.ring, bench.choice.pass(), kFullPace, progress[member.index]);
      }
    }
  });
}

Status measure(const Bench& bench, const PairPlan& pair, Visit& visit) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (const Status status = measure_alone(bench, pair.alone[i].front(), visit.alone[i]); !status)
      return status;
  }
  return measure_together(bench, pair.both, visit.together);
}

/// The median of the windows in which the core was not lost; nothing where it always was.
std::optional<Seconds> median_of(const Windows& windows, bool lost_too) {
  std::vector<double> times;
  for (const WorkWatch& one : windows) {
    if (lost_too || !one.lost_core()) times.push_back(one.elapsed().value());
  }
  if (times.empty()) return std::nullopt;
  return Seconds(quantile(std::move(times), 0.5));
}

/// Both states or none: the inference pairs them. The first round records whatever there is.
void record(Recorder& recorder, const Bench& bench, const PairPlan& pair, const Visit& visit) {
  const Bytes bytes = counted_bytes(bench.slice, *bench.choice.kernel);
  const bool any = recorder.round() == 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto alone = median_of(visit.alone[i], any);
    const auto together = median_of(visit.together[i], any);
    if (!alone || !together) {
      recorder.discard(2);
      continue;
    }
    recorder.sample(pair.directions[i].alone, (bytes / *alone).value());
    recorder.sample(pair.directions[i].together, (bytes / *together).value());
  }
}

Task visit_each_round(Bench& bench, const PairPlan& pair) {
  return {[&bench, &pair](Recorder& recorder) {
    Visit visit;
    const Status status = measure(bench, pair, visit);
    bench.failures.note(status);
    if (status) record(recorder, bench, pair, visit);
  }};
}

/// Pairs by their logical numbers.
std::vector<Pair> choose_pairs(const Context& context, const std::vector<LogicalCore>& cores) {
  const RandomStream random(context.parameters.count("seed"));
  std::vector<std::vector<Pair>> classes;
  for (const RelationClass& one : relation_classes(context.topology, cores, kMaxPerRelation, random)) {
    std::vector<Pair>& pairs = classes.emplace_back();
    for (const CorePair& pair : one.pairs) pairs.push_back({pair.first.number(), pair.second.number()});
  }
  const bool all = cores.size() <= context.parameters.count("all_pairs");
  const std::size_t most = all ? cores.size() * cores.size() : context.parameters.count("sampled_pairs");
  return spread_over_classes(classes, most, random);
}

std::vector<PairPlan> plan(StreamBench& streams, const std::vector<Pair>& pairs) {
  std::vector<PairPlan> plans;
  std::size_t next_case = 0;
  for (const Pair& pair : pairs) {
    const std::array both = {LogicalCore(pair.first), LogicalCore(pair.second)};
    PairPlan& one = plans.emplace_back();
    for (std::size_t i = 0; i < 2; ++i) {
      one.directions[i] = {both[i], both[1 - i], next_case, next_case + 1};
      one.alone[i] = streams.streamers(std::span(both).subspan(i, 1));
      next_case += 2;
    }
    one.both = streams.streamers(both);
  }
  return plans;
}

std::vector<Case> describe(const Bench& bench, const std::vector<PairPlan>& plans) {
  const Relations relations(bench.streams.context().topology);
  std::vector<Case> cases;
  for (const PairPlan& pair : plans) {
    for (const Direction& direction : pair.directions) {
      for (const char* const state : {"alone", "together"}) {
        cases.push_back(Case("B/s")
                            .with("core", direction.core.number())
                            .with("other", direction.other.number())
                            .with("state", state)
                            .with("kernel", bench.choice.kernel->name)
                            .with("ring_bytes", bench.streams.ring_size().value())
                            .with("relation", name_of(relations.between(direction.core, direction.other))));
      }
    }
  }
  return cases;
}

Status sample(Bench& bench, const std::vector<Pair>& pairs) {
  const std::vector<PairPlan> plans = plan(bench.streams, pairs);
  std::vector<Task> tasks;
  for (const PairPlan& pair : plans) tasks.push_back(visit_each_round(bench, pair));
  const std::vector<Case> cases = describe(bench, plans);
  bench.streams.context().sample(cases, tasks, bench.streams.rule());
  return bench.failures.status();
}

/// Only cores of the chosen pairs need memory.
std::vector<LogicalCore> members_of(const std::vector<Pair>& pairs) {
  std::vector<LogicalCore> cores;
  for (const Pair& pair : pairs) {
    cores.emplace_back(pair.first);
    cores.emplace_back(pair.second);
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

Status run(const Context& context) {
  if (context.topology.allowed.size() < 2) {
    return Error{"probe.needs_cores", "memory contention needs two cores, but this process may use only one",
                 "widen the affinity mask or the cpuset"};
  }
  const Result<Bytes> asked = asked_slice(context.parameters);
  if (!asked) return asked.error();
  const std::vector<Pair> pairs = choose_pairs(context, allowed_cores(context.topology));
  if (pairs.empty()) {
    return Error{"usage", "parameters all_pairs and sampled_pairs leave no pair of cores to measure",
                 "give sampled_pairs=1 or more"};
  }
  Result<StreamBench> streams = StreamBench::prepare(context, members_of(pairs), "memory contention");
  if (!streams) return streams.error();
  const std::array kernels = {with_non_temporal_stores("triad")};
  const auto choices = streams.value().choose(kernels, "auto");
  if (!choices) return choices.error();
  const Bytes slice = std::min(asked.value(), streams.value().ring_size());
  Bench bench{std::move(streams).value(), choices.value().front(), slice, {}};
  return sample(bench, pairs);
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
