// One-way latency of a cache line handed between two cores (docs/probes/core_to_core.md).
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "base/pages.hpp"
#include "base/pair_design.hpp"
#include "base/team.hpp"
#include "base/topology_queries.hpp"
#include "survey/handover.hpp"
#include "survey/probe.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "core_to_core",
    .title = "Core-to-core latency",
    .measures =
        "one-way time (s) of a cache line handed between two cores: half a round trip, by plain stores and "
        "by compare-and-exchange",
    .method =
        "ping-pong of two pinned threads on one cache line, another line every sample, pairs interleaved; "
        "all pairs up to 24 cores, then a sample over the classes of declared relation and at random",
    .traffic = "one 64-byte line each way per round trip, no flops; 250 round trips per sample",
    .reference =
        "Servet (Gonzalez-Dominguez et al.), section 3: communication layers; docs/probes/core_to_core.md",
    .order = 60,
    .parameters =
        {
            {"budget", "0.7", "2", "10", "seconds after which sampling stops"},
            {"rounds", "300", "1000", "3000", "rounds after which sampling stops"},
            {"round_trips", "250", "250", "250", "round trips of one sample", "count<=1000000"},
            {"all_pairs", "24", "24", "64", "up to this many cores every pair is measured"},
        },
};

constexpr std::size_t kLine = 64;
constexpr std::uint32_t kWarmUp = 50;
/// About a second of the slowest pairs: a sample cannot be interrupted.
constexpr std::uint64_t kMaxTrips = 1'000'000;
constexpr std::array kOperations = {Operation::kStore, Operation::kCompareExchange};
/// Samples while a pair's threads are up, the operations in turn: starting them costs more than a sample.
constexpr std::size_t kSamplesPerVisit = 2 * kOperations.size();
template <class T>
using PerSample = std::array<T, kSamplesPerVisit>;

constexpr Operation operation_of(std::size_t sample) {
  return kOperations[sample % kOperations.size()];
}

/// Lines that lie in the memory of one NUMA node.
class Lines {
 public:
  Lines(Block block, RandomStream random) : block_(std::move(block)), random_(random) { block_.touch(); }

  /// Words on random lines, because on a mesh a line's address decides through which tile it travels. Each
  /// lies in its own part of the block: two samples on one line would wait for each other for ever.
  PerSample<std::uint32_t*> fresh_words() {
    const std::size_t part = block_.size() / kLine / kSamplesPerVisit;
    PerSample<std::uint32_t*> words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t line = i * part + random_.below(part);
      words[i] = &block_.as<std::uint32_t>()[line * kLine / sizeof(std::uint32_t)];
      *words[i] = 0;
    }
    return words;
  }

 private:
  Block block_;
  RandomStream random_;
};

using LinesOfNode = std::map<NumaNode, Lines>;

/// A core of each node touches that node's lines first.
Result<LinesOfNode> place_lines(const Context& context) {
  LinesOfNode lines;
  const RandomStream random(context.parameters.count("seed"));
  const std::size_t nodes = std::max<std::size_t>(context.topology.numa.size(), 1);
  const Bytes size = std::clamp(context.memory / (8 * nodes), 64_KiB, 4_MiB);
  for (const LogicalCore core : one_core_per(Place::kNuma, context.topology)) {
    const NumaNode node = context.topology.cores.at(core.number()).numa;
    Result<Block> block = Block::map(size, PageMode::kHuge);
    if (!block) return block.error();
    const auto place = [&](const TeamMember&) {
      lines.try_emplace(node, std::move(block).value(), random.fork(node.number() + 1));
    };
    if (const Status status = run_team({context.topology.physical(core)}, place); !status)
      return status.error();
  }
  return lines;
}

struct Visit {
  std::array<PhysicalCore, 2> cpus;
  Lines& lines;
  RoundTrips trips;
};

/// The first core serves: it times.
Status measure(const Visit& visit, PerSample<Seconds>& latencies) {
  const PerSample<std::uint32_t*> words = visit.lines.fresh_words();
  return run_team({visit.cpus[0], visit.cpus[1]}, [&](const TeamMember& member) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      member.barrier.wait();
      if (member.index == 0) {
        latencies[i] = time_one_way(*words[i], visit.trips, operation_of(i));
      } else {
        answer(*words[i], visit.trips, operation_of(i));
      }
    }
  });
}

void record(Recorder& recorder, std::size_t first_case, const PerSample<Seconds>& latencies) {
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    recorder.sample(first_case + i % kOperations.size(), latencies[i].value());
  }
}

struct Setting {
  const Context& context;
  Relations relations{context.topology};
  LinesOfNode lines;
  RoundTrips trips;
  TaskStatus failures;
};

Case describe(const Setting& setting, const Pair& pair, Operation operation) {
  const LogicalCore core(pair.first);
  return Case("s")
      .with("core", pair.first)
      .with("other", pair.second)
      .with("operation", name_of(operation))
      .with("relation", name_of(setting.relations.between(core, LogicalCore(pair.second))))
      .with("home_numa", setting.context.topology.cores.at(core.number()).numa.number());
}

Task visit_each_round(Setting& setting, const Pair& pair, std::size_t first_case) {
  const Topology& topology = setting.context.topology;
  const LogicalCore core(pair.first);
  const std::array cpus = {topology.physical(core), topology.physical(LogicalCore(pair.second))};
  Lines& lines = setting.lines.at(topology.cores.at(core.number()).numa);
  return {[&setting, &lines, cpus, first_case](Recorder& recorder) {
    PerSample<Seconds> latencies;
    const Status status = measure({cpus, lines, setting.trips}, latencies);
    setting.failures.note(status);
    if (status) record(recorder, first_case, latencies);
  }};
}

Status run(const Context& context) {
  if (context.topology.allowed.size() < 2) {
    return Error{"probe.needs_cores",
                 "core-to-core latency needs two cores, but this process may use only one",
                 "widen the affinity mask or the cpuset"};
  }
  Result<LinesOfNode> lines = place_lines(context);
  if (!lines) return lines.error();
  const std::uint64_t asked = context.parameters.count("round_trips");
  if (asked > kMaxTrips) {
    return Error{"usage", "parameter round_trips takes at most " + std::to_string(kMaxTrips),
                 "use more rounds instead"};
  }
  const auto trips = static_cast<std::uint32_t>(std::max<std::uint64_t>(asked, 1));
  Setting setting{
      .context = context, .lines = std::move(lines).value(), .trips = {kWarmUp, trips}, .failures = {}};
  std::vector<Case> cases;
  std::vector<Task> tasks;
  for (const Pair& pair : choose_core_pairs(context.topology, context.parameters.count("all_pairs"),
                                            RandomStream(context.parameters.count("seed")))) {
    tasks.push_back(visit_each_round(setting, pair, cases.size()));
    for (const Operation operation : kOperations) cases.push_back(describe(setting, pair, operation));
  }
  SamplingRule rule = context.parameters.rule();
  // A round of few pairs is so short that an early end would see one moment of the machine only.
  rule.min_rounds = std::numeric_limits<std::uint32_t>::max();
  rule.whole_first_round = false;
  context.sample(cases, tasks, rule);
  return setting.failures.status();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
