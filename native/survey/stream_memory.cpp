#include "survey/stream_memory.hpp"

#include <algorithm>
#include <utility>

#include "base/do_not_optimize.hpp"
#include "base/team.hpp"
#include "survey/beyond_cache.hpp"

namespace groma::survey {
namespace {

/// Where the declared cache is smaller than what a hypervisor really lends.
constexpr Bytes kMinRing = 64_MiB;
/// First touch of more would eat the budget.
constexpr Bytes kMaxRing = 2048_MiB;
/// STREAM's factor. Sums and products may grow to infinity, which costs nothing; denormal numbers would.
constexpr double kScalar = 3.0;

constexpr std::size_t kLineElements = 64 / sizeof(double);
constexpr std::size_t kPageElements = 4096 / sizeof(double);
/// Streams begin this far apart within a page: a load would else wait for stores to the same low address
/// bits.
constexpr std::size_t kSkewElements = 9 * kLineElements;

bool is_allowed(LogicalCore core, const Topology& topology) {
  return std::find(topology.allowed.begin(), topology.allowed.end(), core) != topology.allowed.end();
}

Bytes largest_last_level(std::span<const LogicalCore> cores, const Topology& topology) {
  Bytes largest;
  for (const LogicalCore core : cores) largest = std::max(largest, last_level_of(core, topology).size);
  return largest;
}

/// All rings are equal, so that threads do equal work. A quarter of the memory is theirs, and up to a half
/// where they would else be no larger than a cache.
Result<Bytes> automatic_size(std::span<const LogicalCore> cores, const Topology& topology, Bytes memory) {
  const Bytes last_level = largest_last_level(cores, topology);
  const Bytes least = least_beyond(last_level);
  const Bytes wanted = std::clamp(last_level * kTimesCache, kMinRing, std::max(least, kMaxRing));
  const Bytes quarter = memory / (4 * cores.size());
  if (quarter >= least) return std::min(wanted, quarter);
  if (least * cores.size() <= memory / 2) return least;
  return too_little_memory("what exceeds a last-level cache of " + in_mib(last_level),
                           least * cores.size() * 2, memory);
}

Status touch_first(const std::vector<Block>& blocks, std::span<const LogicalCore> cores,
                   const Topology& topology) {
  return run_team(physical_cores(cores, topology), [&](const TeamMember& member) {
    const std::span<double> memory = blocks[member.index].as<double>();
    std::fill(memory.begin(), memory.end(), 1.0);
  });
}

}  // namespace

CacheShare last_level_of(LogicalCore core, const Topology& topology) {
  const TopologyCache* last = nullptr;
  for (const TopologyCache& cache : topology.caches) {
    const bool covers = std::find(cache.cores.begin(), cache.cores.end(), core) != cache.cores.end();
    if (covers && cache.kind != "instruction" && (last == nullptr || cache.level > last->level))
      last = &cache;
  }
  const auto shares_it = [&](LogicalCore other) {
    if (last != nullptr) return std::find(last->cores.begin(), last->cores.end(), other) != last->cores.end();
    return topology.cores.at(other.number()).package == topology.cores.at(core.number()).package;
  };
  CacheShare share{last != nullptr ? last->size.value_or(kUndeclaredCache) : kUndeclaredCache, {}};
  std::copy_if(topology.allowed.begin(), topology.allowed.end(), std::back_inserter(share.cores), shares_it);
  if (!is_allowed(core, topology)) share.cores.push_back(core);
  return share;
}

std::vector<std::size_t> thread_counts(std::size_t all) {
  std::vector<std::size_t> counts;
  for (std::size_t n = 1; n < all; n *= 2) counts.push_back(n);
  if (all > 0) counts.push_back(all);
  return counts;
}

std::vector<PhysicalCore> physical_cores(std::span<const LogicalCore> cores, const Topology& topology) {
  std::vector<PhysicalCore> cpus;
  for (const LogicalCore core : cores) cpus.push_back(topology.physical(core));
  return cpus;
}

std::span<double> StreamRing::next(std::size_t elements) {
  const std::size_t size = std::min(elements, memory_.size());
  if (position_ + size > memory_.size()) position_ = 0;
  const std::span<double> window = memory_.subspan(position_, size);
  position_ += (size + kLineElements - 1) / kLineElements * kLineElements;
  return window;
}

/// Streams end kSkewElements behind a page where they are longer than one.
std::size_t stream_length(std::size_t elements, const StreamKernel& kernel) {
  const std::size_t lines = elements / kernel.streams() / kLineElements * kLineElements;
  if (lines < kSkewElements + kPageElements) return lines;
  return (lines - kSkewElements) / kPageElements * kPageElements + kSkewElements;
}

StreamWindow::StreamWindow(std::span<double> memory, const StreamKernel& kernel)
    : start_(memory.data()), writes_(kernel.writes), length_(stream_length(memory.size(), kernel)) {}

void StreamWindow::pass(StreamPass run, std::size_t at, std::size_t elements) const {
  double* const out = start_ + at;
  double* const inputs = out + writes_ * length_;
  do_not_optimize(run({out, inputs, inputs + length_, kScalar}, elements));
}

Result<StreamMemory> StreamMemory::place(const Topology& topology, std::span<const LogicalCore> cores,
                                         Bytes wanted, Bytes available) {
  const std::uint64_t count = std::max<std::uint64_t>(cores.size(), 1);
  const Result<Bytes> size = wanted.value() > 0 ? Result<Bytes>(std::min(wanted, available / (4 * count)))
                                                : automatic_size(cores, topology, available);
  if (!size) return size.error();
  StreamMemory memory;
  for (const LogicalCore core : cores) {
    Result<Block> block = Block::map(size.value(), PageMode::kHuge);
    if (!block) return block.error();
    memory.rings_.emplace(core, block.value().as<double>());
    memory.blocks_.push_back(std::move(block).value());
  }
  if (const Status touched = touch_first(memory.blocks_, cores, topology); !touched) return touched.error();
  return memory;
}

std::vector<Streamer> StreamMemory::streamers(std::span<const LogicalCore> active, const Topology& topology) {
  const auto is_active = [&](LogicalCore core) {
    return std::find(active.begin(), active.end(), core) != active.end();
  };
  std::vector<Streamer> streamers;
  for (const LogicalCore core : active) {
    const CacheShare cache = last_level_of(core, topology);
    const auto sharers = std::count_if(cache.cores.begin(), cache.cores.end(), is_active);
    StreamRing& ring = rings_.at(core);
    const Bytes part = cache.size / static_cast<std::uint64_t>(sharers);
    streamers.push_back({topology.physical(core), &ring, std::min(part, ring.size() / 2)});
  }
  return streamers;
}

}  // namespace groma::survey
