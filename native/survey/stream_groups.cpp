#include "survey/stream_groups.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace groma::survey {
namespace {

constexpr std::size_t kEach = 8;

using Cores = std::vector<LogicalCore>;

/// Keeps sets of several cores that are new; one that stands for a smaller kind counts for this one too.
class Groups {
 public:
  explicit Groups(std::size_t most) : most_(most) {}

  void add(const std::string& kind, std::vector<Cores> sets) {
    std::size_t kept = 0;
    for (Cores& cores : sets) {
      std::sort(cores.begin(), cores.end());
      if (cores.size() < 2 || kept == most_) continue;
      ++kept;
      if (seen_.insert(cores).second) found_.push_back({kind, std::move(cores)});
    }
  }

  std::vector<CoreGroup> found() && { return std::move(found_); }

 private:
  std::size_t most_;
  std::set<Cores> seen_;
  std::vector<CoreGroup> found_;
};

Cores allowed_of(const Cores& cores, const Topology& topology) {
  Cores allowed;
  for (const LogicalCore core : cores) {
    if (std::ranges::find(topology.allowed, core) != topology.allowed.end()) allowed.push_back(core);
  }
  return allowed;
}

std::map<std::uint32_t, std::vector<Cores>> by_cache(const Topology& topology) {
  std::map<std::uint32_t, std::vector<Cores>> found;
  for (const TopologyCache& cache : topology.caches) {
    if (cache.kind != "instruction") found[cache.level].push_back(allowed_of(cache.cores, topology));
  }
  return found;
}

template <class Key>
std::vector<Cores> by_place(const Topology& topology, Key key) {
  std::map<decltype(key(topology.cores.front())), Cores> found;
  for (const TopologyCore& core : topology.cores) {
    if (!allowed_of({core.logical}, topology).empty()) found[key(core)].push_back(core.logical);
  }
  std::vector<Cores> sets;
  for (auto& [place, cores] : found) sets.push_back(std::move(cores));
  return sets;
}

}  // namespace

std::vector<CoreGroup> core_groups(const Topology& topology, std::size_t most) {
  Groups groups(most);
  for (auto& [level, sets] : by_cache(topology)) groups.add("L" + std::to_string(level), std::move(sets));
  groups.add("NUMA node", by_place(topology, [](const TopologyCore& core) { return core.numa; }));
  groups.add("package", by_place(topology, [](const TopologyCore& core) { return core.package; }));
  groups.add("machine", {topology.allowed});
  return std::move(groups).found();
}

std::vector<std::size_t> core_counts(std::size_t all) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < all && count <= kEach; ++count) counts.push_back(count);
  for (std::size_t unit = kEach; unit < all; unit *= 2) {
    for (const std::size_t count : {unit + unit / 2, 2 * unit}) {
      if (count < all) counts.push_back(count);
    }
  }
  counts.push_back(all);
  return counts;
}

}  // namespace groma::survey
