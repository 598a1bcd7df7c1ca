#include "survey/eviction.hpp"

#include <algorithm>
#include <mutex>

#include "base/team.hpp"
#include "base/work_watch.hpp"

namespace groma::survey {
namespace {

constexpr std::size_t kLine = 64;
constexpr Bytes kPage = 4_KiB;
constexpr std::size_t kMaxLoads = 8192;
/// What an evictor reads over what a victim has filled: victims may use a cache to less than half.
constexpr std::size_t kEvictorSets = 2;
/// A victim cache keeps what is read again: lines that were read once push nothing out.
constexpr std::size_t kPasses = 2;
/// A set that evicts nothing is this much smaller, and read as much more often.
constexpr std::size_t kHarmless = 32;
/// Samples of a small set for each undisturbed one that is wanted, before a visit gives up.
constexpr std::size_t kAttempts = 4;
/// Up to here sets move about, and a walk is cheap enough to fill a cache; above, independent loads do it in
/// a tenth of the time.
constexpr Bytes kSmall = 2_MiB;

/// The sets of one core during one run.
struct Sets {
  const ChaseOrder& order;
  CoreSets::View view;
  std::size_t lines;

  /// The chain through the set, linked again if the set has moved.
  Link* chain() const {
    if (view.linked == nullptr) return order.link(view.own, lines, kLine);
    if (*view.linked == nullptr) *view.linked = order.link(view.own, lines, kLine);
    return *view.linked;
  }
  Link* fill(Link* at) const {
    if (view.linked == nullptr) return walk(at, lines / 16 * 16);
    read(view.own, lines, kPasses);
    return at;
  }
  void read_much() const { read(view.evicting, kEvictorSets * lines, kPasses); }
  void read_little() const {
    read(view.evicting, std::max<std::size_t>(kEvictorSets * lines / kHarmless, 1), kPasses * kHarmless);
  }
  void read(std::byte* start, std::size_t count, std::size_t passes) const {
    for (std::size_t i = 0; i < passes; ++i) order.read_all(start, count, kLine);
  }
  /// Less than a turn, so that every load sees what was left of the set.
  [[nodiscard]] Seconds sample(Link* at) const {
    return time_walk(at, std::min(lines, kMaxLoads) / 16 * 16).per_load;
  }
};

enum class Part { kVictim, kEvictor, kIdle };

/// Fill, evict, read again: the steps of each core for one sample of each victim.
struct EvictionStep {
  EvictionSource by;
  SpinBarrier& barrier;

  void evict(const Sets& own, Part part) const {
    if (part == Part::kVictim && by == EvictionSource::kSelf) own.read_much();
    if (part != Part::kEvictor) return;
    if (by == EvictionSource::kOthers) {
      own.read_much();
    } else {
      own.read_little();
    }
  }
  /// A victim that left its core for a moment has lost its set to who ran there. Whatever halts an evictor,
  /// it has read all when the victim reads again.
  std::optional<VictimSample> take(const Sets& own, Part part) const {
    Link* at = part == Part::kVictim ? own.chain() : nullptr;
    WorkWatch watch;
    if (at != nullptr) at = own.fill(at);
    barrier.wait();
    evict(own, part);
    barrier.wait();
    if (at == nullptr) return std::nullopt;
    const Seconds per_load = own.sample(at);
    watch.stop();
    return VictimSample{per_load, watch.left_core()};
  }
};

/// The samples of each victim, and which samples are still wanted. A victim writes what is its own before a
/// barrier, and all read it behind that.
class VictimSamples {
 public:
  VictimSamples(std::size_t victims, std::size_t wanted, std::size_t most)
      : taken_(victims), wanted_(wanted), most_(most) {}

  void add(std::size_t victim, const VictimSample& sample) { taken_[victim].push_back(sample); }

  [[nodiscard]] bool all_done() const {
    return std::ranges::all_of(taken_, [this](const std::vector<VictimSample>& samples) {
      const auto good = std::ranges::count(samples, false, &VictimSample::disturbed);
      return static_cast<std::size_t>(good) >= wanted_ || samples.size() >= most_;
    });
  }

  std::vector<std::vector<VictimSample>> taken() && { return std::move(taken_); }

 private:
  std::vector<std::vector<VictimSample>> taken_;
  std::size_t wanted_;
  std::size_t most_;
};

}  // namespace

std::optional<Seconds> quietest(std::span<const VictimSample> samples) {
  std::optional<Seconds> least;
  for (const VictimSample& sample : samples) {
    if (!sample.disturbed) least = std::min(sample.per_load, least.value_or(sample.per_load));
  }
  return least;
}

std::string_view name_of(EvictionSource by) {
  if (by == EvictionSource::kNone) return "nothing";
  return by == EvictionSource::kOthers ? "others" : "self";
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

Result<std::vector<std::vector<VictimSample>>> EvictionBench::run(const SharingTest& test, Bytes set,
                                                                  EvictionSource by, bool in_turn,
                                                                  std::size_t wanted) {
  std::vector<LogicalCore> cores = test.victims;
  if (by != EvictionSource::kSelf) cores.insert(cores.end(), test.evictors.begin(), test.evictors.end());
  std::vector<PhysicalCore> cpus;
  std::vector<Sets> sets;
  for (const LogicalCore core : cores) {
    cpus.push_back(topology_->physical(core));
    sets.push_back({order_, cores_.at(core).view(set), set.value() / kLine});
  }
  const std::size_t victims = test.victims.size();
  VictimSamples samples(victims, wanted, set <= kSmall ? kAttempts * wanted : wanted);
  const auto part_of = [&](std::size_t core, std::size_t turn) {
    if (core >= victims) return Part::kEvictor;
    return in_turn && core != turn % victims ? Part::kIdle : Part::kVictim;
  };
  const auto member = [&](const TeamMember& self) {
    const EvictionStep each{by, self.barrier};
    for (std::size_t turn = 0; !samples.all_done(); ++turn) {
      const auto sample = each.take(sets[self.index], part_of(self.index, turn));
      if (sample) samples.add(self.index, *sample);
      self.barrier.wait();
    }
  };
  if (const Status status = run_team(cpus, member); !status) return status.error();
  return std::move(samples).taken();
}

}  // namespace groma::survey
