#include "survey/eviction.hpp"

#include <algorithm>
#include <mutex>

#include "base/team.hpp"

namespace groma::survey {
namespace {

constexpr std::size_t kLine = 64;
constexpr Bytes kPage = 4_KiB;
constexpr std::size_t kMostLoads = 8192;
/// What an evictor reads over what a victim has filled: victims may use a cache to less than half.
constexpr std::size_t kEvictorSets = 2;
/// A victim cache keeps what is read again: lines that were read once push nothing out.
constexpr std::size_t kPasses = 2;
/// A set that evicts nothing is this much smaller, and read as much more often.
constexpr std::size_t kHarmless = 32;
/// Up to here sets move about, and a walk is cheap enough to fill a cache; above, independent loads do it in
/// a tenth of the time.
constexpr Bytes kSmall = 2_MiB;

/// The sets of one core during one run.
struct Sets {
  const ChaseOrder& order;
  CoreSets::View view;
  std::size_t lines;

  Link* fill() const {
    if (view.linked == nullptr) return walk(order.link(view.own, lines, kLine), lines / 16 * 16);
    if (*view.linked == nullptr) *view.linked = order.link(view.own, lines, kLine);
    read(view.own, lines, kPasses);
    return *view.linked;
  }
  void read_much() const { read(view.evicting, kEvictorSets * lines, kPasses); }
  void read_little() const {
    read(view.evicting, std::max<std::size_t>(kEvictorSets * lines / kHarmless, 1), kPasses * kHarmless);
  }
  void read(std::byte* start, std::size_t count, std::size_t passes) const {
    for (std::size_t i = 0; i < passes; ++i) order.read_all(start, count, kLine);
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

/// Three sets side by side where they are small, with room to move; of large ones what evicts the largest.
Bytes CoreSets::shared_room(const std::vector<Bytes>& sets) {
  Bytes room = 4_MiB;
  for (const Bytes set : sets) room = std::max(room, set <= kSmall ? set * 3 + 2_MiB : set * kEvictorSets);
  return room;
}

Bytes CoreSets::room_for(const std::vector<Bytes>& sets) {
  Bytes room = shared_room(sets);
  for (const Bytes set : sets) room = set <= kSmall ? room : room + set;
  return room;
}

CoreSets::CoreSets(Block block, const std::vector<Bytes>& sets, RandomStream random)
    : block_(std::move(block)), shared_(shared_room(sets)), random_(random) {
  block_.touch();
  std::byte* place = block_.data() + shared_.value();
  for (const Bytes set : sets) {
    if (set <= kSmall || !large_.emplace(set, Large{place, nullptr}).second) continue;
    place += set.value();
  }
}

CoreSets::View CoreSets::view(Bytes set) {
  const auto large = large_.find(set);
  if (large != large_.end()) return {large->second.place, block_.data(), &large->second.linked};
  const std::size_t pages = (shared_.value() - set.value() * (1 + kEvictorSets)) / kPage.value();
  std::byte* const own = block_.data() + random_.below(pages + 1) * kPage.value();
  return {own, own + set.value(), nullptr};
}

Result<EvictionBench> EvictionBench::prepare(const Topology& topology,
                                             const std::map<LogicalCore, std::vector<Bytes>>& sets,
                                             RandomStream random) {
  Bytes largest(kLine);
  std::vector<PhysicalCore> cpus;
  std::vector<std::pair<LogicalCore, Block>> blocks;
  for (const auto& [core, own] : sets) {
    Result<Block> block = Block::map(CoreSets::room_for(own), PageMode::kHuge);
    if (!block) return block.error();
    blocks.emplace_back(core, std::move(block).value());
    cpus.push_back(topology.physical(core));
    for (const Bytes set : own) largest = std::max(largest, set);
  }
  EvictionBench bench(topology, ChaseOrder(kEvictorSets * largest.value() / kLine, random.fork(0)));
  std::mutex guard;
  const auto place = [&](const TeamMember& member) {
    auto& [core, block] = blocks[member.index];
    CoreSets placed(std::move(block), sets.at(core), random.fork(core.number() + 1));
    const std::lock_guard lock(guard);
    bench.cores_.emplace(core, std::move(placed));
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
    sets.push_back({order_, cores_.at(core).view(set), set.value() / kLine});
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
