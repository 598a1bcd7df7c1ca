#include "survey/sharing_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/topology_queries.hpp"

namespace groma::survey {
namespace {

constexpr Bytes kPage = 4_KiB;
constexpr double kShareOfCache = 0.7;
constexpr Bytes kMinSet{24U << 10U};
constexpr Bytes kMaxSet{24U << 20U};
/// A set must be clear of the level below it, which it would otherwise test.
constexpr double kBeyondLevelBelow = 1.6;
/// Caches up to this many times larger are tested well enough with the sets of the smaller ones.
constexpr double kOtherKind = 1.25;

template <class T>
std::vector<T> spread(const std::vector<T>& all, std::size_t most) {
  const std::size_t count = std::min(std::max<std::size_t>(most, 1), all.size());
  std::vector<T> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)]);
  }
  return chosen;
}

bool holds_data(const TopologyCache& cache) {
  return cache.kind != "instruction";
}

bool contains(const std::vector<LogicalCore>& cores, LogicalCore core) {
  return std::find(cores.begin(), cores.end(), core) != cores.end();
}

Bytes whole_pages(double bytes) {
  const auto pages = static_cast<std::uint64_t>(std::llround(bytes / static_cast<double>(kPage.value())));
  return kPage * std::max<std::uint64_t>(pages, 1);
}

/// Sizes of the data caches around a core, by level.
using Sizes = std::map<std::uint32_t, Bytes>;

/// What is declared around the first core of each group; its fellows share it.
class DeclaredSizes {
 public:
  explicit DeclaredSizes(const Topology& topology) {
    for (const LogicalCore core : topology.allowed) of_core_.emplace(core, data_cache_sizes(topology, core));
  }

  [[nodiscard]] std::optional<Bytes> at(LogicalCore core, std::uint32_t level) const {
    const Sizes& own = of_core_.at(core);
    const auto found = own.find(level);
    return found == own.end() ? std::nullopt : std::optional(found->second);
  }

  /// The largest cache of a core below a level; 0 where there is none.
  [[nodiscard]] Bytes below(LogicalCore core, std::uint32_t level) const {
    Bytes largest;
    for (const auto& [own, size] : of_core_.at(core)) {
      if (own < level) largest = std::max(largest, size);
    }
    return largest;
  }

  /// Sizes that caches of each level have, around any core.
  [[nodiscard]] std::map<std::uint32_t, std::set<Bytes>> by_level() const {
    std::map<std::uint32_t, std::set<Bytes>> found;
    for (const auto& [core, own] : of_core_) {
      for (const auto& [level, size] : own) found[level].insert(size);
    }
    return found;
  }

 private:
  std::map<LogicalCore, Sizes> of_core_;
};

/// Whether a set stays in a core's cache of a level and is clear of what is below.
bool holds(const DeclaredSizes& sizes, LogicalCore core, std::uint32_t level, Bytes set) {
  const std::optional<Bytes> size = sizes.at(core, level);
  return size && set <= *size && set > sizes.below(core, level);
}

/// Where no cache of the level holds the set, all groups are victims: the system may be wrong.
SharingStage stage_of(const Topology& topology, const SamplingLimits& limits, const DeclaredSizes& sizes,
                      Bytes set, std::uint32_t level) {
  const CoreGroups all = declared_groups(topology, level);
  CoreGroups victims;
  std::vector<LogicalCore> strangers;
  for (const std::vector<LogicalCore>& group : all) {
    if (holds(sizes, group.front(), level, set)) {
      victims.push_back(group);
    } else {
      strangers.push_back(group.front());
    }
  }
  if (victims.empty()) return {set, level, sampled(all, limits.groups, limits.members), {}};
  return {set, level, sampled(victims, limits.groups, limits.members), spread(strangers, limits.groups)};
}

/// First members of the groups whose number has or lacks a bit, against all members of the others.
SharingTest groups_apart(const CoreGroups& groups, unsigned bit, bool with) {
  SharingTest test;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if ((((i >> bit) & 1U) != 0) == with) {
      test.victims.push_back(groups[i].front());
    } else {
      test.evictors.insert(test.evictors.end(), groups[i].begin(), groups[i].end());
    }
  }
  return test;
}

SharingTest pairs_inside(const CoreGroups& groups, std::size_t victim, std::size_t evictor) {
  SharingTest test;
  for (const std::vector<LogicalCore>& group : groups) {
    if (evictor >= group.size()) continue;
    test.victims.push_back(group[victim]);
    test.evictors.push_back(group[evictor]);
  }
  return test;
}

std::vector<Bytes> undeclared_sets() {
  std::vector<Bytes> sets;
  for (Bytes set = kMinSet; set <= kMaxSet; set = set * 2) sets.push_back(set);
  return sets;
}

/// In bytes, each clearly larger than the one before.
std::vector<double> kinds_of(const std::set<Bytes>& sizes) {
  std::vector<double> kinds;
  for (const Bytes size : sizes) {
    const auto bytes = static_cast<double>(size.value());
    if (kinds.empty() || bytes >= kOtherKind * kinds.back()) kinds.push_back(bytes);
  }
  return kinds;
}

}  // namespace

CoreGroups declared_groups(const Topology& topology, std::uint32_t level) {
  CoreGroups groups;
  std::set<LogicalCore> grouped;
  for (const TopologyCache& cache : topology.caches) {
    if (cache.level != level || !holds_data(cache)) continue;
    std::vector<LogicalCore> group;
    for (const LogicalCore core : cache.cores) {
      if (contains(topology.allowed, core) && grouped.insert(core).second) group.push_back(core);
    }
    std::sort(group.begin(), group.end());
    if (!group.empty()) groups.push_back(std::move(group));
  }
  for (const LogicalCore core : topology.allowed) {
    if (!grouped.contains(core)) groups.push_back({core});
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

CoreGroups sampled(const CoreGroups& groups, std::size_t most_groups, std::size_t most_members) {
  CoreGroups chosen = spread(groups, most_groups);
  for (std::vector<LogicalCore>& group : chosen) group = spread(group, most_members);
  return chosen;
}

std::vector<SharingTest> sharing_tests(const CoreGroups& groups) {
  std::vector<SharingTest> tests;
  const auto bits = static_cast<unsigned>(groups.empty() ? 0 : std::bit_width(groups.size() - 1));
  for (unsigned bit = 0; bit < bits; ++bit) {
    for (const bool with : {false, true}) tests.push_back(groups_apart(groups, bit, with));
  }
  std::size_t members = 0;
  for (const std::vector<LogicalCore>& group : groups) members = std::max(members, group.size());
  for (std::size_t evictor = 1; evictor < members; ++evictor) {
    for (std::size_t victim = 0; victim < evictor; ++victim) {
      tests.push_back(pairs_inside(groups, victim, evictor));
    }
  }
  return tests;
}

std::vector<SharingTest> sharing_tests(const SharingStage& stage) {
  std::vector<SharingTest> tests = sharing_tests(stage.groups);
  if (stage.strangers.empty()) return tests;
  SharingTest of_strangers{{}, stage.strangers};
  for (const std::vector<LogicalCore>& group : stage.groups) of_strangers.victims.push_back(group.front());
  tests.push_back(std::move(of_strangers));
  return tests;
}

std::vector<SharingStage> sharing_stages(const Topology& topology, const SamplingLimits& limits) {
  const DeclaredSizes sizes(topology);
  const auto by_level = sizes.by_level();
  if (by_level.empty()) return sharing_stages(topology, limits, undeclared_sets());
  std::vector<SharingStage> stages;
  double below = 0.0;
  for (const auto& [level, declared] : by_level) {
    const bool last = level == by_level.rbegin()->first;
    const std::vector<double> kinds = kinds_of(declared);
    for (const double size : kinds) {
      double set = kShareOfCache * size;
      do {
        stages.push_back(stage_of(topology, limits, sizes, whole_pages(set), level));
        set /= 2;
      } while (last && size == kinds.front() && below > 0.0 && set > kBeyondLevelBelow * below);
    }
    below = static_cast<double>(declared.rbegin()->value());
  }
  return stages;
}

std::vector<SharingStage> sharing_stages(const Topology& topology, const SamplingLimits& limits,
                                         const std::vector<Bytes>& sets) {
  const DeclaredSizes sizes(topology);
  const auto by_level = sizes.by_level();
  std::vector<SharingStage> stages;
  for (const Bytes set : sets) {
    std::uint32_t level = 0;
    for (const auto& [candidate, kinds] : by_level) {
      level = candidate;
      if (*kinds.rbegin() >= set) break;
    }
    const Bytes whole = whole_pages(static_cast<double>(set.value()));
    stages.push_back(stage_of(topology, limits, sizes, whole, level));
  }
  return stages;
}

std::vector<LogicalCore> participants(const SharingStage& stage) {
  std::vector<LogicalCore> cores;
  for (const std::vector<LogicalCore>& group : stage.groups) {
    cores.insert(cores.end(), group.begin(), group.end());
  }
  cores.insert(cores.end(), stage.strangers.begin(), stage.strangers.end());
  std::sort(cores.begin(), cores.end());
  return cores;
}

}  // namespace groma::survey
