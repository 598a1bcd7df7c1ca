#include "survey/eviction.hpp"

#include <algorithm>
#include <mutex>

#include "base/team.hpp"

namespace groma::survey {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kMostLoads = 8192;
/// What an evictor reads over what a victim has filled: victims may use a cache to less than half.
constexpr std::size_t kEvictorSets = 2;
/// Sets in one window: the victim's own and what it reads to evict itself.
constexpr std::size_t kWindowSets = 1 + kEvictorSets;
/// A set that evicts nothing is this much smaller, and read as much more often.
constexpr std::size_t kHarmless = 32;
/// Up to here a walk is cheap enough to fill a cache; above, independent loads do it in a tenth of the time.
constexpr Bytes kWalked = 4_MiB;

/// The sets of one core during one run.
struct Sets {
  const ChaseOrder& order;
  std::byte* start;
  std::size_t lines;

  [[nodiscard]] std::byte* other() const { return start + lines * kLine; }

  Link* fill() const {
    Link* const first = order.link(start, lines, kLine);
    if (lines * kLine <= kWalked.value()) return walk(first, lines / 16 * 16);
    order.read_all(start, lines, kLine);
    return first;
  }
  void read_much() const { order.read_all(other(), kEvictorSets * lines, kLine); }
  void read_little() const {
    const std::size_t few = std::max<std::size_t>(kEvictorSets * lines / kHarmless, 1);
    for (std::size_t i = 0; i < kHarmless; ++i) order.read_all(other(), few, kLine);
  }
  /// Less than a turn, so that every load sees what was left of the set.
  [[nodiscard]] Seconds look(Link* at) const {
    return time_walk(at, std::min(lines, kMostLoads) / 16 * 16).per_load;
  }
};

enum class Part { kVictim, kEvictor, kIdle };

/// Fill, evict, look: what each core does for one time of each victim, all in step.
struct Look {
  Evicted by;
  SpinBarrier& barrier;

  void evict(const Sets& own, Part part) const {
    if (part == Part::kVictim && by == Evicted::kByItself) own.read_much();
    if (part != Part::kEvictor) return;
    if (by == Evicted::kByOthers) {
      own.read_much();
    } else {
      own.read_little();
    }
  }
  /// The time that a victim sees.
  std::optional<Seconds> take(const Sets& own, Part part) const {
    Link* const at = part == Part::kVictim ? own.fill() : nullptr;
    barrier.wait();
    evict(own, part);
    barrier.wait();
    std::optional<Seconds> time;
    if (part == Part::kVictim) time = own.look(at);
    barrier.wait();
    return time;
  }
};

}  // namespace

std::string_view name_of(Evicted by) {
  if (by == Evicted::kNothing) return "nothing";
  return by == Evicted::kByOthers ? "others" : "self";
}

Bytes EvictionBench::room_for(Bytes set) {
  return std::max(set * kWindowSets + 2_MiB, 4_MiB);
}

Result<EvictionBench> EvictionBench::prepare(const Topology& topology,
                                             const std::map<LogicalCore, Bytes>& largest_sets,
                                             RandomStream random) {
  Bytes largest(kLine);
  std::vector<PhysicalCore> cpus;
  std::vector<std::pair<LogicalCore, Block>> blocks;
  for (const auto& [core, set] : largest_sets) {
    Result<Block> block = Block::map(room_for(set), PageMode::kHuge);
    if (!block) return block.error();
    blocks.emplace_back(core, std::move(block).value());
    cpus.push_back(topology.physical(core));
    largest = std::max(largest, set);
  }
  EvictionBench bench(topology, ChaseOrder(kEvictorSets * largest.value() / kLine, random.fork(0)));
  std::mutex guard;
  const auto place = [&](const TeamMember& member) {
    auto& [core, block] = blocks[member.index];
    Arena arena(std::move(block), random.fork(core.number() + 1));
    const std::lock_guard lock(guard);
    bench.arenas_.emplace(core, std::move(arena));
  };
  if (const Status status = run_team(cpus, place); !status) return status.error();
  return bench;
}

Result<std::vector<std::vector<Seconds>>> EvictionBench::run(const SharingTest& test, Bytes set, Evicted by,
                                                             bool in_turn, std::size_t repeats) {
  std::vector<LogicalCore> cores = test.victims;
  if (by != Evicted::kByItself) cores.insert(cores.end(), test.evictors.begin(), test.evictors.end());
  std::vector<PhysicalCore> cpus;
  std::vector<Sets> sets;
  for (const LogicalCore core : cores) {
    cpus.push_back(topology_->physical(core));
    sets.push_back({order_, arenas_.at(core).window(set * kWindowSets), set.value() / kLine});
  }
  const std::size_t victims = test.victims.size();
  std::vector<std::vector<Seconds>> times(victims);
  const auto part_of = [&](std::size_t core, std::size_t turn) {
    if (core >= victims) return Part::kEvictor;
    return in_turn && core != turn % victims ? Part::kIdle : Part::kVictim;
  };
  const auto member = [&](const TeamMember& self) {
    const Look look{by, self.barrier};
    for (std::size_t turn = 0; turn < (in_turn ? victims : 1) * repeats; ++turn) {
      const auto time = look.take(sets[self.index], part_of(self.index, turn));
      if (time) times[self.index].push_back(*time);
    }
  };
  if (const Status status = run_team(cpus, member); !status) return status.error();
  return times;
}

}  // namespace groma::survey
