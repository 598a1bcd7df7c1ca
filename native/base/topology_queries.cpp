#include "base/topology_queries.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace groma {
namespace {

std::uint32_t number_of(Place place, const TopologyCore& core) {
  switch (place) {
    case Place::kCore:
      return core.core;
    case Place::kNuma:
      return core.numa.number();
    case Place::kPackage:
      return core.package;
  }
  return core.core;
}

/// Distances are written by firmware as whole numbers; others are shown as they are.
std::string distance_text(double distance) {
  const double whole = std::round(distance);
  return whole == distance ? std::to_string(static_cast<long long>(whole)) : std::to_string(distance);
}

/// Keeps a uniform sample of what it is given (Vitter 1985, algorithm R).
void add_to_sample(RelationClass& kept, const CorePair& pair, std::size_t most, RandomStream& random) {
  ++kept.total;
  if (kept.pairs.size() < most) {
    kept.pairs.push_back(pair);
  } else if (const std::uint64_t at = random.below(kept.total); at < most) {
    kept.pairs[at] = pair;
  }
}

/// The groups around a core, from the package down to the core itself.
using GroupPath = std::vector<std::uint32_t>;

struct PlacedCore {
  LogicalCore core;
  GroupPath path;
};

/// Number of the cache of each level around a core, the highest level first; 0 for none.
GroupPath caches_around(LogicalCore core, const Topology& topology) {
  std::map<std::uint32_t, std::uint32_t, std::greater<>> by_level;
  for (std::uint32_t i = 0; i < topology.caches.size(); ++i) {
    const TopologyCache& cache = topology.caches[i];
    if (cache.kind == "instruction") continue;
    std::uint32_t& number = by_level[cache.level];
    if (std::ranges::find(cache.cores, core) != cache.cores.end()) number = i + 1;
  }
  GroupPath path;
  for (const auto& [level, number] : by_level) path.push_back(number);
  return path;
}

GroupPath path_to(LogicalCore core, const Topology& topology) {
  const TopologyCore& place = topology.cores.at(core.number());
  GroupPath path = {place.package, place.numa.number()};
  const GroupPath caches = caches_around(core, topology);
  path.insert(path.end(), caches.begin(), caches.end());
  path.insert(path.end(), {place.core, core.number()});
  return path;
}

/// Takes one core of each group in turn; each group is spread in itself.
std::vector<PlacedCore> spread(std::vector<PlacedCore> cores, std::size_t depth) {
  if (cores.size() < 2 || depth == cores.front().path.size()) return cores;
  std::map<std::uint32_t, std::vector<PlacedCore>> groups;
  for (PlacedCore& one : cores) groups[one.path[depth]].push_back(std::move(one));
  std::vector<std::vector<PlacedCore>> parts;
  for (auto& [number, group] : groups) parts.push_back(spread(std::move(group), depth + 1));
  std::vector<PlacedCore> mixed;
  for (std::size_t at = 0; mixed.size() < cores.size(); ++at) {
    for (const auto& part : parts) {
      if (at < part.size()) mixed.push_back(part[at]);
    }
  }
  return mixed;
}

}  // namespace

std::vector<LogicalCore> one_core_per(Place place, const Topology& topology) {
  std::set<std::uint32_t> taken;
  std::vector<LogicalCore> chosen;
  for (const LogicalCore core : topology.allowed) {
    if (taken.insert(number_of(place, topology.cores.at(core.number()))).second) chosen.push_back(core);
  }
  return chosen;
}

std::vector<LogicalCore> spread_order(std::span<const LogicalCore> cores, const Topology& topology) {
  std::vector<PlacedCore> placed;
  for (const LogicalCore core : cores) placed.push_back({core, path_to(core, topology)});
  std::vector<LogicalCore> order;
  for (const PlacedCore& one : spread(std::move(placed), 0)) order.push_back(one.core);
  return order;
}

std::map<std::uint32_t, Bytes> data_cache_sizes(const Topology& topology, LogicalCore core) {
  std::map<std::uint32_t, Bytes> sizes;
  for (const TopologyCache& cache : topology.caches) {
    if (cache.kind == "instruction" || !cache.size) continue;
    const bool around = std::ranges::find(cache.cores, core) != cache.cores.end();
    if (around) sizes.emplace(cache.level, *cache.size);
  }
  return sizes;
}

Bytes data_cache_size(const Topology& topology, LogicalCore core, std::uint32_t level, Bytes otherwise) {
  const auto sizes = data_cache_sizes(topology, core);
  const auto found = sizes.find(level);
  return found == sizes.end() ? otherwise : found->second;
}

std::string name_of(const Relation& relation) {
  const std::string distance = relation.distance ? ", distance " + distance_text(*relation.distance) : "";
  switch (relation.sharing) {
    case Sharing::kCore:
      return "SMT siblings";
    case Sharing::kCache:
      return "share L" + std::to_string(relation.cache_level) + distance;
    case Sharing::kNuma:
      return "same NUMA node";
    case Sharing::kPackage:
      return "same package" + distance;
    case Sharing::kMachine:
      break;
  }
  return "other package" + distance;
}

Relations::Relations(const Topology& topology) : distances_(topology.distances) {
  for (const TopologyCore& core : topology.cores)
    locations_.push_back({core.core, core.package, std::nullopt, {}});
  for (const TopologyNuma& node : topology.numa) {
    for (const LogicalCore core : node.cores) locations_.at(core.number()).numa = node.logical;
  }
  std::uint32_t instance = 0;
  for (const TopologyCache& cache : topology.caches) {
    ++instance;
    if (cache.kind == "instruction") continue;
    for (const LogicalCore core : cache.cores) {
      std::vector<std::uint32_t>& at_level = locations_.at(core.number()).cache_at_level;
      at_level.resize(std::max<std::size_t>(at_level.size(), cache.level + 1));
      at_level[cache.level] = instance;
    }
  }
}

Relation Relations::between(LogicalCore a, LogicalCore b) const {
  const CoreLocation& one = locations_.at(a.number());
  const CoreLocation& other = locations_.at(b.number());
  if (one.core == other.core) return {Sharing::kCore, 0, {}};
  const std::optional<double> apart = distance(one, other);
  const std::size_t levels = std::min(one.cache_at_level.size(), other.cache_at_level.size());
  for (std::uint32_t level = 0; level < levels; ++level) {
    const std::uint32_t instance = one.cache_at_level[level];
    if (instance != 0 && instance == other.cache_at_level[level]) return {Sharing::kCache, level, apart};
  }
  if (one.numa && one.numa == other.numa) return {Sharing::kNuma, 0, {}};
  return {one.package == other.package ? Sharing::kPackage : Sharing::kMachine, 0, apart};
}

/// Firmware may declare a matrix that is not symmetric; a pair has the mean of both ways.
std::optional<double> Relations::distance(const CoreLocation& a, const CoreLocation& b) const {
  if (!a.numa || !b.numa || a.numa == b.numa || distances_.empty()) return std::nullopt;
  const std::size_t one = a.numa->number();
  const std::size_t other = b.numa->number();
  return (distances_.at(one).at(other) + distances_.at(other).at(one)) / 2;
}

std::vector<RelationClass> relation_classes(const Topology& topology, std::span<const LogicalCore> cores,
                                            std::size_t most_per_class, RandomStream random) {
  const Relations relations(topology);
  std::map<Relation, RelationClass> classes;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    for (std::size_t j = i + 1; j < cores.size(); ++j) {
      const CorePair pair{std::min(cores[i], cores[j]), std::max(cores[i], cores[j])};
      add_to_sample(classes[relations.between(pair.first, pair.second)], pair, most_per_class, random);
    }
  }
  std::vector<RelationClass> sorted;
  for (auto& [relation, found] : classes) {
    found.relation = relation;
    sorted.push_back(std::move(found));
  }
  return sorted;
}

}  // namespace groma
