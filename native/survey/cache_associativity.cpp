// Ways of the first and second level of cache, by conflicts (docs/probes/cache_associativity.md).
#include <algorithm>
#include <array>
#include <numeric>

#include "base/topology_queries.hpp"
#include "survey/arena.hpp"
#include "survey/beyond_cache.hpp"
#include "survey/chase.hpp"
#include "survey/chosen_core.hpp"
#include "survey/probe.hpp"
#include "survey/set_overflow.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "cache_associativity",
    .title = "Cache associativity",
    .measures =
        "time of one dependent load (s) of chains of conflicting lines; number of lines that fill one set "
        "of the second level (lines)",
    .method =
        "chains of lines a multiple of a power of two apart; reduction of an overflowing set of lines to "
        "those that compete",
    .traffic = "8 bytes of pointer per load, no flops; 2 Ki loads per sample",
    .reference =
        "Vila, Koepf, Morales, Theory and practice of finding eviction sets (2019), for the second level",
    .order = 31,
    .parameters =
        {
            {"budget", "0.8", "2.5", "10", "seconds after which sampling stops"},
            {"rounds", "40", "60", "120", "rounds after which sampling stops"},
            {"search", "0.12", "0.2", "0.5", "seconds of CPU time after which a search gives up", "seconds"},
            kCoreParameter,
        },
};

/// Up to the way size of 512 KiB and 8 ways; the way size of most first levels is that of a page.
constexpr std::array kStrides = {Bytes(2048), 4_KiB, 8_KiB, 16_KiB, 32_KiB, 64_KiB};
constexpr std::size_t kMaxLines = 24;
constexpr Bytes kWindow = 4_MiB;
constexpr std::size_t kLine = 64;
constexpr std::size_t kLoads = 2048;
constexpr Bytes kPage = 4_KiB;
/// Turns before timing: where replacement is random it takes some until all lines that can stay do so.
constexpr std::size_t kWarmTurns = 24;

/// `count` different numbers below `bound`.
std::vector<std::size_t> draw(std::size_t count, std::size_t bound, RandomStream& random) {
  std::vector<std::size_t> all(bound);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + random.below(bound - i)]);
  all.resize(count);
  return all;
}

/// Lines at random multiples of the stride: at regular ones the pages would also compete for the sets of the
/// TLB, and the addresses for the entries of a way predictor.
double sample_chain(Arena& arena, std::size_t lines, Bytes stride, RandomStream& random) {
  std::byte* const start =
      arena.window(kWindow + kStrides.back()) + random.below(stride.value() / kLine) * kLine;
  std::vector<Link*> nodes;
  for (const std::size_t slot : draw(lines, kWindow.value() / stride.value(), random)) {
    nodes.push_back(reinterpret_cast<Link*>(start + slot * stride.value()));
  }
  Link* const warm = walk(link_cycle(nodes), kWarmTurns * lines);
  return time_walk(warm, kLoads).per_load.value();
}

/// Lines of one first-level set, one in each page: turns through many of them miss the first level always.
class PagedLines {
 public:
  PagedLines(std::byte* start, RandomStream random)
      : start_(start + random.below(kPage.value() / kLine) * kLine), random_(random) {}

  double turn(std::span<const std::size_t> lines) {
    nodes_.clear();
    for (const std::size_t line : lines)
      nodes_.push_back(reinterpret_cast<Link*>(start_ + line * kPage.value()));
    shuffle(std::span(nodes_), random_);
    const std::size_t loads = std::max<std::size_t>(3 * lines.size(), 192);
    Link* const warm = walk(link_cycle(nodes_), 2 * lines.size());
    return time_walk(warm, loads).per_load.value() * static_cast<double>(lines.size());
  }

 private:
  std::byte* start_;
  RandomStream random_;
  std::vector<Link*> nodes_;
};

/// Several times the lines that overflow some set at once where the sets are chosen by a hash.
Bytes search_space(const Context& context) {
  const Bytes second = data_cache_size(context.topology, chosen_core(context), 2, 1_MiB);
  return std::clamp(std::min(second * 16, context.memory / 8), 4_MiB, 64_MiB);
}

/// Ways of one set of the second level; nothing where the search fails.
std::optional<std::size_t> search_ways(const Context& context, const Block& block, RandomStream random) {
  PagedLines lines(block.data(), random.fork(1));
  const Seconds most = context.clock.thread_cpu() + Seconds(context.parameters.number("search"));
  const auto give_up = [&] { return context.cancelled.load() || context.clock.thread_cpu() > most; };
  OverflowSearch search(
      block.size() / kPage.value(), [&](auto set) { return lines.turn(set); }, give_up, random);
  return search.count_ways();
}

Status run(const Context& context) {
  if (const Status pinned = pin_to_chosen_core(context); !pinned) return pinned;
  if (const Bytes needed = (kWindow * 3 + search_space(context)) * 2; needed > context.memory) {
    return too_little_memory("cache associativity", needed, context.memory);
  }
  Result<Block> near = Block::map(kWindow * 3, PageMode::kHuge);
  if (!near) return near.error();
  Result<Block> far = Block::map(search_space(context), PageMode::kHuge);
  if (!far) return far.error();
  far.value().touch();
  const SamplingRule rule = context.parameters.rule();
  RandomStream random(rule.seed);
  Arena arena(std::move(near).value(), random.fork(1));
  std::vector<Case> cases;
  std::vector<Task> tasks;
  for (const Bytes stride : kStrides) {
    for (std::size_t lines = 1; lines <= kMaxLines; ++lines) {
      tasks.push_back({[&, stride, lines, which = cases.size()](Recorder& recorder) {
        recorder.sample(which, sample_chain(arena, lines, stride, random));
      }});
      cases.push_back(
          Case("s").with("measure", "chain").with("stride_bytes", stride.value()).with("lines", lines));
    }
  }
  tasks.push_back({[&, which = cases.size()](Recorder& recorder) {
    const auto ways = search_ways(context, far.value(), random.fork(random.next()));
    recorder.sample(which, static_cast<double>(ways.value_or(0)));
  }});
  cases.push_back(Case("lines").with("measure", "overflow").with("level", 2));
  context.sample(cases, tasks, rule);
  return Done{};
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
