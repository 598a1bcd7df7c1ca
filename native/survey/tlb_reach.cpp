// Reach and miss cost of the TLBs: one line per page against as many lines packed densely
// (docs/probes/tlb_reach.md).
#include <algorithm>
#include <array>
#include <string>

#include "base/topology_queries.hpp"
#include "survey/arena.hpp"
#include "survey/beyond_cache.hpp"
#include "survey/chase.hpp"
#include "survey/chosen_core.hpp"
#include "survey/probe.hpp"
#include "survey/size_grid.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "tlb_reach",
    .title = "TLB reach and miss cost",
    .measures =
        "time of one dependent load (s) of chains through one line of each page, for each number of "
        "pages and both page modes, and of chains through as many lines packed densely",
    .method = "random pointer chase, page after page but another line in each; pages and numbers interleaved",
    .traffic = "8 bytes of pointer per load, no flops; 4 Ki to 12 Ki loads per sample",
    .reference = "docs/probes/tlb_reach.md",
    .order = 40,
    .parameters =
        {
            {"budget", "1.2", "4", "15", "seconds after which sampling stops"},
            {"rounds", "12", "40", "120", "rounds after which sampling stops"},
            {"pages", "6144", "12288", "49152",
             "maximum number of small pages; fewer where the second-level cache is small or pages are large"},
            {"huge_pages", "80", "128", "1024", "maximum number of 2 MiB pages"},
            {"per_octave", "4", "8", "8", "numbers of pages per octave: 8, 4, 2 or 1", "1|2|4|8"},
            kCoreParameter,
        },
};

constexpr Bytes kLine{64};
constexpr Bytes kHugePage = 2_MiB;
constexpr std::size_t kFewest = 8;
/// Fewer exceed no TLB.
constexpr std::size_t kMinBeyond = 128;
constexpr std::size_t kMinLoads = 4096;
/// Of large pages a few thousand exceed every TLB, and setting up more takes its time.
constexpr Bytes kMostArena = 1024_MiB;

/// How a chain lies in memory. The strides are odd numbers of lines, so that chains spread over all sets of
/// the caches; that of huge pages moves on by a small page too, because a hypervisor may have split them.
struct Layout {
  std::string_view name;
  PageMode pages;
  Bytes page;
  Bytes stride;
};

/// `page` is that of the system: chains through parts of pages would reach less far.
std::array<Layout, 4> layouts_for(Bytes page) {
  return {
      Layout{"spread", PageMode::kSmall, page, page + kLine},
      Layout{"spread", PageMode::kHuge, page, page + kLine},
      Layout{"spread", PageMode::kHuge, kHugePage, kHugePage + page + kLine},
      Layout{"dense", PageMode::kHuge, page, kLine},
  };
}

/// Lines of the chain must stay inside the second level, or its misses would look like those of a TLB.
std::size_t most_small_pages(const Context& context) {
  const Bytes second = data_cache_size(context.topology, chosen_core(context), 2, 1_MiB);
  const std::size_t inside = std::max<std::size_t>(second.value() * 3 / 4 / kLine.value(), 4096);
  const Bytes arena = std::min(context.memory / 8, kMostArena);
  const std::size_t affordable = arena.value() / 2 / context.topology.page.value();
  return std::min({context.parameters.count("pages"), inside, affordable});
}

std::size_t most_huge_pages(const Context& context) {
  return std::min(context.parameters.count("huge_pages"), context.memory.value() / 8 / kHugePage.value());
}

/// m * 2^e with m = 8 ... 15: 48, 64, 72, 1536, 2048 and 3072 entries are among them.
std::vector<std::size_t> counts_up_to(std::size_t most, std::uint64_t per_octave) {
  std::vector<std::size_t> counts;
  for (const Bytes size : size_grid(kLine * kFewest, kLine * most, per_octave)) {
    counts.push_back(size.value() / kLine.value());
  }
  return counts;
}

double sample_chain(Arena& arena, const ChaseOrder& order, const Layout& layout, std::size_t lines) {
  std::byte* const start = arena.window(layout.stride * lines);
  Link* const first = order.link(start, lines, layout.stride.value());
  Link* const warm = walk(first, 2 * lines);
  return time_walk(warm, std::max(lines, kMinLoads)).per_load.value();
}

Result<Arena> make_arena(Bytes size, PageMode pages, RandomStream random) {
  Result<Block> block = Block::map(size, pages);
  if (!block) return block.error();
  return Arena(std::move(block).value(), random);
}

/// Arenas of the layouts: that of small pages, that of huge pages, and a wide one for strides of huge pages.
Result<std::vector<Arena>> make_arenas(Bytes page, std::size_t small_pages, std::size_t huge_pages,
                                       RandomStream random) {
  const Bytes near = std::max((page + kLine) * small_pages * 2, 8_MiB);
  const Bytes wide = (kHugePage + page + kLine) * (huge_pages + 1);
  std::vector<Arena> arenas;
  for (const auto& [size, pages] : {std::pair(near, PageMode::kSmall), std::pair(near, PageMode::kHuge),
                                    std::pair(wide, PageMode::kHuge)}) {
    Result<Arena> arena = make_arena(size, pages, random.fork(arenas.size()));
    if (!arena) return arena.error();
    arenas.push_back(std::move(arena).value());
  }
  return arenas;
}

Arena& arena_of(std::vector<Arena>& arenas, const Layout& layout) {
  if (layout.page == kHugePage) return arenas[2];
  return arenas[layout.pages == PageMode::kHuge ? 1 : 0];
}

Case describe(const Layout& layout, std::size_t lines) {
  return Case("s")
      .with("layout", layout.name)
      .with("pages", name_of(layout.pages))
      .with("page_bytes", layout.page.value())
      .with("lines", lines);
}

Status run(const Context& context) {
  if (context.parameters.count("pages") < kMinBeyond) {
    return Error{"usage",
                 "chains of fewer than " + std::to_string(kMinBeyond) + " pages exceed no TLB: not measured",
                 "give pages=" + std::to_string(kMinBeyond) + " or more"};
  }
  if (const Status pinned = pin_to_chosen_core(context); !pinned) return pinned;
  const Bytes page = context.topology.page;
  const std::size_t small_pages = most_small_pages(context);
  const std::size_t huge_pages = most_huge_pages(context);
  if (small_pages < kMinBeyond) {
    return too_little_memory("TLB reach", page * (16 * kMinBeyond), context.memory);
  }
  SamplingRule rule = context.parameters.rule();
  rule.min_rounds = std::min<std::uint32_t>(rule.max_rounds, 12);  // other pages each round, some unlucky
  Result<std::vector<Arena>> arenas = make_arenas(page, small_pages, huge_pages, RandomStream(rule.seed));
  if (!arenas) return arenas.error();
  const ChaseOrder order(std::max(small_pages, huge_pages), RandomStream(rule.seed).fork(9));
  std::vector<Case> cases;
  std::vector<Task> tasks;
  const std::array layouts = layouts_for(page);
  for (const Layout& layout : layouts) {
    const std::size_t most = layout.page == kHugePage ? huge_pages : small_pages;
    for (const std::size_t lines : counts_up_to(most, context.parameters.count("per_octave"))) {
      tasks.push_back({[&, lines, which = cases.size()](Recorder& recorder) {
        recorder.sample(which, sample_chain(arena_of(arenas.value(), layout), order, layout, lines));
      }});
      cases.push_back(describe(layout, lines));
    }
  }
  context.sample(cases, tasks, rule);
  return Done{};
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
