// Latency over other pages in each round against that over the same pages again (docs/probes/page_sets.md).
#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/work_watch.hpp"
#include "survey/arena.hpp"
#include "survey/beyond_cache.hpp"
#include "survey/chase.hpp"
#include "survey/chosen_core.hpp"
#include "survey/latency_plan.hpp"
#include "survey/probe.hpp"
#include "survey/set_up.hpp"
#include "survey/size_grid.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "page_sets",
    .title = "Latency over other and over the same pages",
    .measures =
        "time of one dependent load (s) for each size, over other small pages in each round and over "
        "the same pages again",
    .method =
        "random pointer chase, one node per 64-byte line, in memory whose pages were touched in random "
        "order; sizes and both kinds interleaved",
    .traffic = "16 bytes of pointer per load, no flops; 8 Ki loads per sample",
    .reference = "Servet (Gonzalez-Dominguez et al.), section 3; docs/inference-indexing.md",
    .order = 42,
    .parameters =
        {
            {"budget", "0.8", "3", "12", "seconds after which sampling stops"},
            {"rounds", "16", "40", "120", "rounds after which sampling stops"},
            {"max_size", "16777216", "16777216", "67108864", "largest size in bytes", "bytes>=16384"},
            {"per_octave", "4", "4", "8", "sizes per octave: 8, 4, 2 or 1", "1|2|4|8"},
            kCoreParameter,
        },
};

constexpr Bytes kPage = 4_KiB;
constexpr Bytes kSmallest = 16_KiB;
constexpr Bytes kMinArena = 2_MiB;
constexpr Bytes kLine{64};
constexpr std::size_t kLoads = 8192;
constexpr std::uint32_t kEveryNthRound = 4;
/// Windows of the largest size among which a round chooses.
constexpr std::uint64_t kWindows = 4;

/// Linking a line, and a dependent load of it, beyond all caches; once for each kind of pages.
constexpr Seconds kPerLine{2 * 150e-9};

/// The system hands out runs of neighbouring pages; in random order, neighbours in virtual addresses lie
/// anywhere among the pages of the block.
void touch_in_random_order(const Block& block, RandomStream random, const std::atomic<bool>& cancelled) {
  std::vector<std::size_t> pages(block.size() / kPage.value());
  std::iota(pages.begin(), pages.end(), std::size_t{0});
  shuffle(std::span(pages), random);
  for (const std::size_t page : pages) {
    if (cancelled.load(std::memory_order_relaxed)) return;
    block.touch(page * kPage.value(), page * kPage.value() + 1);
  }
}

/// Nothing where the core was lost meanwhile: what another program left in the cache is no matter of pages.
std::optional<double> sample_latency(std::byte* window, const ChaseOrder& order, Bytes size) {
  const std::size_t nodes = size.value() / kLine.value();
  WorkWatch watch;
  Link* const warm = walk(order.link(window, nodes, kLine.value()), nodes);
  const double per_load = time_walk(warm, kLoads).per_load.value();
  watch.stop();
  return watch.lost_core() ? std::nullopt : std::optional(per_load);
}

void record(Recorder& recorder, std::size_t which, std::optional<double> latency) {
  if (latency) {
    recorder.sample(which, *latency);
  } else {
    recorder.discard();
  }
}

/// A size with both kinds of pages; `same` was chosen once.
struct Visit {
  Arena* arena;
  const ChaseOrder* order;
  Bytes size;
  std::byte* same;
  std::size_t which;

  void operator()(Recorder& recorder) const {
    record(recorder, which, sample_latency(arena->window(size), *order, size));
    record(recorder, which + 1, sample_latency(same, *order, size));
  }
};

std::vector<Bytes> sizes_of(const Context& context) {
  const Bytes asked = context.parameters.bytes("max_size");
  const Bytes affordable = context.memory / (2 * kWindows);
  return size_grid(kSmallest, std::min(asked, affordable), context.parameters.count("per_octave"));
}

Status refuse_slow_sizes(const std::vector<Bytes>& sizes, Seconds budget) {
  std::uint64_t bytes = 0;
  for (const Bytes size : sizes) bytes += size.value();
  const Bytes largest = sizes.back();
  constexpr auto line = static_cast<double>(kLine.value());
  constexpr auto page = static_cast<double>(kPage.value());
  const Seconds needed = kPerLine * static_cast<double>(bytes) / line +
                         kPerNewPage * static_cast<double>(largest.value() * kWindows) / page +
                         kPerOrderEntry * static_cast<double>(2 * largest.value()) / line;
  return refuse_too_long("page sets", largest, needed, budget);
}

Status run(const Context& context) {
  if (context.parameters.bytes("max_size") < kSmallest) {
    return Error{"usage", "parameter max_size takes " + std::to_string(kSmallest.value()) + " B at least",
                 "give max_size=" + std::to_string(kSmallest.value()) + " or more"};
  }
  if (const Status pinned = pin_to_chosen_core(context); !pinned) return pinned;
  const std::vector<Bytes> sizes = sizes_of(context);
  if (sizes.empty()) return too_little_memory("page sets", kMinArena * kWindows, context.memory);
  const SamplingRule rule = context.parameters.rule();
  if (const Status allowed = refuse_slow_sizes(sizes, rule.budget); !allowed) return allowed;
  const RandomStream random(rule.seed);
  Result<Block> block = Block::map(std::max(sizes.back() * kWindows, kMinArena), PageMode::kSmall);
  if (!block) return block.error();
  touch_in_random_order(block.value(), random.fork(1).fork(1), context.cancelled);
  if (context.cancelled) return interrupted(context);
  Arena arena(std::move(block).value(), random.fork(1).fork(2));
  const ChaseOrder order(sizes.back().value() / kLine.value(), random.fork(2));
  std::vector<Case> cases;
  std::vector<Task> tasks;
  for (const Bytes size : sizes) {
    const Visit visit{&arena, &order, size, arena.window(size), cases.size()};
    tasks.push_back({visit, size <= kFineUpTo ? 1 : kEveryNthRound});
    for (const char* const set : {"other", "same"}) {
      cases.push_back(Case("s")
                          .with("size_bytes", size.value())
                          .with("pages", name_of(PageMode::kSmall))
                          .with("set", set));
    }
  }
  context.sample(cases, tasks, rule);
  return Done{};
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
