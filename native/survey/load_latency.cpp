// Load latency against working-set size, in both page modes (docs/probes/load_latency.md).
#include <optional>
#include <vector>

#include "base/work_watch.hpp"
#include "survey/arena.hpp"
#include "survey/chase.hpp"
#include "survey/chosen_core.hpp"
#include "survey/latency_plan.hpp"
#include "survey/probe.hpp"
#include "survey/set_up.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "load_latency",
    .title = "Load latency over working-set size",
    .measures = "time of one dependent load (s) for each size, with huge and with small pages",
    .method = "random pointer chase, one node per 64-byte line, sizes interleaved, new pages each round",
    .traffic = "16 bytes of pointer per load, no flops; 4 Ki to 16 Ki loads per sample",
    .reference = "Servet (Gonzalez-Dominguez et al.), section 3; sampling after docs/measuring.md",
    .order = 20,
    .parameters =
        {
            {"budget", "4.5", "14", "60", "seconds after which sampling stops, both page modes together"},
            {"rounds", "16", "64", "160", "rounds after which sampling stops"},
            {"max_size", "0", "0", "0", "largest size in bytes; 0 chooses 4 x the last-level cache", "bytes"},
            {"per_octave", "8", "8", "8", "sizes per octave: 8, 4, 2 or 1", "1|2|4|8"},
            kCoreParameter,
        },
};

constexpr std::size_t kLine = 64;
constexpr int kAttempts = 4;

std::size_t loads_per_sample(Bytes size) {
  return size <= kFineUpTo ? 16'384 : 8'192;
}

/// Sizes that fit no cache are far more costly per sample and less noisy, so they need fewer rounds.
std::uint32_t every_nth_round(Bytes size) {
  return size <= kFineUpTo ? 1 : 4;
}

/// A victim cache keeps what is read again, so linking (which writes) is not enough of a warm-up: where a
/// pass of dependent loads is too dear, independent ones in the same order do its work.
Link* warm_up(const ChaseOrder& order, std::byte* window, std::size_t nodes) {
  Link* const first = order.link(window, nodes, kLine);
  if (Bytes(nodes * kLine) <= kFineUpTo) return walk(first, nodes);
  order.read_all(window, nodes, kLine);
  return first;
}

/// Whoever loses the core between warm-up and walk comes back to a cache that others have used. Small sets
/// are tried again; the warm-up of a large one is longer than many a slice of a CPU quota, so that only its
/// walk counts.
std::optional<double> sample_latency(Arena& arena, const ChaseOrder& order, Bytes size) {
  const bool is_small = size <= kFineUpTo;
  for (int attempt = 0; attempt < (is_small ? kAttempts : 1); ++attempt) {
    WorkWatch watch;
    Link* const at = warm_up(order, arena.window(size), size.value() / kLine);
    if (!is_small) watch = WorkWatch();
    const double per_load = time_walk(at, loads_per_sample(size)).per_load.value();
    watch.stop();
    if (!watch.lost_core()) return per_load;
  }
  return std::nullopt;
}

LatencyRequest asked_of(const Context& context) {
  const Parameters& parameters = context.parameters;
  return {.last_level = context.topology.last_level_cache().value_or(kUndeclaredCache),
          .max_size = parameters.bytes("max_size"),
          .per_octave = parameters.count("per_octave"),
          .budget = Seconds(parameters.number("budget")),
          .memory = context.memory};
}

Status run(const Context& context) {
  if (const Status pinned = pin_to_chosen_core(context); !pinned) return pinned;
  const Result<LatencyPlan> planned = plan_latency(asked_of(context));
  if (!planned) return planned.error();
  const LatencyPlan& plan = planned.value();
  const SamplingRule rule = context.parameters.rule();
  const ChaseOrder order(plan.sizes.back().value() / kLine, RandomStream(rule.seed));
  std::vector<Case> cases;
  std::vector<Task> tasks;
  std::vector<Arena> arenas;
  arenas.reserve(2);
  for (const PageMode pages : {PageMode::kHuge, PageMode::kSmall}) {
    Result<Block> block = Block::map(plan.arena, pages);
    if (!block) return block.error();
    if (const Status touched = touch(block.value(), context); !touched) return touched;
    if (context.cancelled) return interrupted(context);
    arenas.emplace_back(std::move(block).value(), RandomStream(rule.seed).fork(arenas.size() + 1));
    for (const Bytes size : plan.sizes) {
      const auto measure = [&arena = arenas.back(), &order, size, which = cases.size()](Recorder& recorder) {
        const std::optional<double> latency = sample_latency(arena, order, size);
        if (latency) {
          recorder.sample(which, *latency);
        } else {
          recorder.discard();
        }
      };
      tasks.push_back({measure, every_nth_round(size)});
      cases.push_back(Case("s").with("size_bytes", size.value()).with("pages", name_of(pages)));
    }
  }
  context.sample(cases, tasks, rule);
  return Done{};
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
