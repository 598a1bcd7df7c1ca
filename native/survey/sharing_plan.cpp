#include "survey/sharing_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "base/topology_queries.hpp"

namespace groma::survey {
namespace {

constexpr Bytes kPage = 4_KiB;
constexpr double kShareOfCache = 0.7;
constexpr Bytes kMinSet{24U << 10U};
constexpr Bytes kMaxSet{24U << 20U};
/// A set must be clear of the level below it, which it would otherwise test.
constexpr double kBeyondLevelBelow = 1.6;

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

SharingStage stage_of(const Topology& topology, const SamplingLimits& limits, Bytes set,
                      std::uint32_t level) {
  return {set, level, sampled(declared_groups(topology, level), limits.groups, limits.members)};
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

std::vector<SharingStage> sharing_stages(const Topology& topology, const SamplingLimits& limits) {
  const std::map<std::uint32_t, Bytes> sizes = data_cache_sizes(topology);
  if (sizes.empty()) return sharing_stages(topology, limits, undeclared_sets());
  std::vector<SharingStage> stages;
  double below = 0.0;
  for (const auto& [level, size] : sizes) {
    const bool last = level == sizes.rbegin()->first;
    double set = kShareOfCache * static_cast<double>(size.value());
    do {
      stages.push_back(stage_of(topology, limits, whole_pages(set), level));
      set /= 2;
    } while (last && below > 0.0 && set > kBeyondLevelBelow * below);
    below = static_cast<double>(size.value());
  }
  return stages;
}

std::vector<SharingStage> sharing_stages(const Topology& topology, const SamplingLimits& limits,
                                         const std::vector<Bytes>& sets) {
  const std::map<std::uint32_t, Bytes> sizes = data_cache_sizes(topology);
  std::vector<SharingStage> stages;
  for (const Bytes set : sets) {
    std::uint32_t level = 0;
    for (const auto& [candidate, size] : sizes) {
      level = candidate;
      if (size >= set) break;
    }
    stages.push_back(stage_of(topology, limits, whole_pages(static_cast<double>(set.value())), level));
  }
  return stages;
}

std::vector<LogicalCore> participants(const SharingStage& stage) {
  std::vector<LogicalCore> cores;
  for (const std::vector<LogicalCore>& group : stage.groups) {
    cores.insert(cores.end(), group.begin(), group.end());
  }
  std::sort(cores.begin(), cores.end());
  return cores;
}

}  // namespace groma::survey
