// Size of a cache line, by pairs of loads and by contended writes (docs/probes/cache_line.md).
#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "base/team.hpp"
#include "base/topology_queries.hpp"
#include "survey/arena.hpp"
#include "survey/beyond_cache.hpp"
#include "survey/chosen_core.hpp"
#include "survey/line_pairs.hpp"
#include "survey/probe.hpp"
#include "survey/task_status.hpp"
#include "survey/write_contention.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "cache_line",
    .title = "Cache line size",
    .measures =
        "time of one dependent load (s) with the members of a pair visited together and apart, and time of "
        "one write (s) while another core writes nearby, for each distance of the two",
    .method =
        "random pointer chase over pairs of nodes that lie a power of two apart; atomic increments of two "
        "words by two cores",
    .traffic = "16 bytes of pointer per load, no flops; 4 Ki loads or 400 increments per sample",
    .reference = "docs/probes/cache_line.md",
    .order = 30,
    .parameters =
        {
            {"budget", "0.6", "1.5", "6", "seconds after which sampling stops"},
            {"rounds", "20", "40", "120", "rounds after which sampling stops"},
            {"inner", "0", "0", "0",
             "bytes of a set beyond the first level; 0 chooses by the declared caches", "bytes>=4096"},
            {"outer", "0", "0", "0",
             "bytes of a set beyond the second level; 0 chooses by the declared caches", "bytes>=4096"},
            kCoreParameter,
        },
};

constexpr std::array kDistances = {Bytes(16), Bytes(32), Bytes(64), Bytes(128), Bytes(256), Bytes(512)};
constexpr std::array kOrders = {PairOrder::kSingle, PairOrder::kPaired};
constexpr Bytes kPage = 4_KiB;
constexpr Bytes kFirstLevelSpan = 4_KiB;
constexpr std::size_t kLoads = 4096;
constexpr std::uint32_t kWrites = 400;
constexpr std::uint32_t kOuterEvery = 2;
constexpr int kAttempts = 3;

struct Spans {
  Bytes inner;
  Bytes outer;
};

/// Well beyond one level and inside the next; guests see wrong sizes, so both stay in ranges in which
/// these levels lie on all machines.
Result<Spans> choose_spans(const Context& context) {
  for (const std::string_view name : {"inner", "outer"}) {
    const Bytes asked = context.parameters.bytes(name);
    if (asked.value() > 0 && asked < kPage) {
      return Error{"usage", "parameter " + std::string(name) + " takes a page of 4096 B at least",
                   "use 0 to choose by the declared caches"};
    }
  }
  const LogicalCore core = chosen_core(context);
  const auto chosen = [&](std::string_view name, Bytes automatic) {
    const Bytes asked(context.parameters.bytes(name).value() / kPage.value() * kPage.value());
    return asked.value() > 0 ? asked : automatic;
  };
  const Bytes first = data_cache_size(context.topology, core, 1, 32_KiB);
  const Bytes second = data_cache_size(context.topology, core, 2, 1_MiB);
  return Spans{chosen("inner", std::clamp(first * 8, 128_KiB, 512_KiB)),
               chosen("outer", std::clamp(second * 4, 2_MiB, 16_MiB))};
}

double sample_load(Arena& arena, Bytes span, Bytes distance, PairOrder order, RandomStream& random) {
  const std::vector<Link*> nodes = pair_sequence(arena.window(span), span, distance, order, random);
  Link* const warm = walk(link_cycle(nodes), std::min<std::size_t>(nodes.size(), 16'384));
  return time_walk(warm, kLoads).per_load.value();
}

/// A core that does not share the first level with `core`.
std::optional<LogicalCore> other_core(const Topology& topology, LogicalCore core) {
  const auto core_of = [&](LogicalCore one) { return topology.cores.at(one.number()).core; };
  for (const LogicalCore candidate : topology.allowed) {
    if (core_of(candidate) != core_of(core)) return candidate;
  }
  return std::nullopt;
}

using Writes = std::array<std::optional<Seconds>, kDistances.size()>;

/// The first core times, the second one keeps writing.
Result<Writes> contend(const std::vector<PhysicalCore>& cpus, std::byte* page) {
  Writes times;
  const auto word = [page](Bytes offset) -> std::uint64_t& {
    return *reinterpret_cast<std::uint64_t*>(page + offset.value());
  };
  std::array<std::atomic<bool>, kDistances.size()> done{};
  const auto member = [&](const TeamMember& self) {
    for (std::size_t i = 0; i < kDistances.size(); ++i) {
      std::uint64_t& far = word(kDistances[i]);
      self.barrier.wait();
      if (self.index == 1) {
        keep_writing(far, done[i]);
        continue;
      }
      for (int attempt = 0; attempt < kAttempts && !times[i]; ++attempt) {
        times[i] = time_writes(word(Bytes(0)), far, kWrites);
      }
      done[i] = true;
    }
  };
  if (const Status status = run_team(cpus, member); !status) return status.error();
  return times;
}

/// What is sampled and by which task.
struct Plan {
  std::vector<Case> cases;
  std::vector<Task> tasks;

  void add_load(const Case& described, std::function<double()> measure, std::uint32_t every) {
    tasks.push_back({[measure = std::move(measure), which = cases.size()](Recorder& recorder) {
                       recorder.sample(which, measure());
                     },
                     every});
    cases.push_back(described);
  }

  void add_contention(LogicalCore core, LogicalCore other, const std::function<Result<Writes>()>& measure,
                      TaskStatus& failures) {
    tasks.push_back({[measure, &failures, first = cases.size()](Recorder& recorder) {
      const Result<Writes> times = measure();
      if (!times) return failures.note(times.error());
      for (std::size_t i = 0; i < kDistances.size(); ++i) {
        if (const auto time = times.value()[i]) recorder.sample(first + i, time->value());
      }
    }});
    for (const Bytes distance : kDistances) {
      cases.push_back(Case("s")
                          .with("measure", "write")
                          .with("distance_bytes", distance.value())
                          .with("core", core.number())
                          .with("other", other.number()));
    }
  }
};

Case load_case(std::string_view set, Bytes span, Bytes distance, PairOrder order) {
  return Case("s")
      .with("measure", "load")
      .with("set", set)
      .with("span_bytes", span.value())
      .with("distance_bytes", distance.value())
      .with("order", name_of(order));
}

Status run(const Context& context) {
  if (const Status pinned = pin_to_chosen_core(context); !pinned) return pinned;
  const Result<Spans> chosen = choose_spans(context);
  if (!chosen) return chosen.error();
  const Spans spans = chosen.value();
  const Bytes size = std::max(spans.inner, spans.outer) * 2;
  if (size > context.memory / 4) return too_little_memory("the cache line size", size * 4, context.memory);
  Result<Block> block = Block::map(size, PageMode::kHuge);
  if (!block) return block.error();
  const SamplingRule rule = context.parameters.rule();
  RandomStream random(rule.seed);
  Arena arena(std::move(block).value(), random.fork(1));
  Plan plan;
  TaskStatus failures;
  const auto add = [&](std::string_view set, Bytes span, Bytes distance, PairOrder order,
                       std::uint32_t every) {
    const auto measure = [&, span, distance, order] {
      return sample_load(arena, span, distance, order, random);
    };
    plan.add_load(load_case(set, span, distance, order), measure, every);
  };
  add("first_level", kFirstLevelSpan, Bytes(64), PairOrder::kSingle, 1);
  for (const Bytes distance : kDistances) {
    for (const PairOrder order : kOrders) {
      add("inner", spans.inner, distance, order, 1);
      add("outer", spans.outer, distance, order, kOuterEvery);
    }
  }
  const LogicalCore first = chosen_core(context);
  if (const auto other = other_core(context.topology, first)) {
    const std::vector<PhysicalCore> cpus = {context.topology.physical(first),
                                            context.topology.physical(*other)};
    plan.add_contention(
        first, *other, [&, cpus] { return contend(cpus, arena.window(4_KiB)); }, failures);
  }
  context.sample(plan.cases, plan.tasks, rule);
  return failures.status();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
