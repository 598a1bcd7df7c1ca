#include "survey/numa_places.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/topology_queries.hpp"

namespace groma::survey {
namespace {

NumaPlace place_of(LogicalCore logical, const Topology& topology) {
  const TopologyCore& core = topology.cores.at(logical.number());
  return {logical.number(), core.physical, core.numa, core.package, {core.physical}};
}

/// One hardware thread per physical core, or all of them if that would leave one only.
std::vector<LogicalCore> distinct_cores(const Topology& topology) {
  const std::vector<LogicalCore> distinct = one_core_per(Place::kCore, topology);
  return distinct.size() >= 2 ? distinct : topology.allowed;
}

template <class T>
std::vector<T> evenly_chosen(const std::vector<T>& items, std::size_t most) {
  if (items.size() <= most) return items;
  std::vector<T> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(items[i * items.size() / most]);
  return chosen;
}

/// The cores around the largest cache that each core has, by a number of that cache.
std::map<LogicalCore, std::size_t> last_level_of(const Topology& topology) {
  std::map<LogicalCore, std::size_t> found;
  for (std::size_t i = 0; i < topology.caches.size(); ++i) {
    const TopologyCache& cache = topology.caches[i];
    if (cache.kind == "instruction" || !cache.size) continue;
    for (const LogicalCore core : cache.cores) {
      const auto [at, is_new] = found.emplace(core, i);
      if (!is_new && topology.caches[at->second].size < cache.size) at->second = i;
    }
  }
  return found;
}

std::uint32_t most_in_one_cache(const std::vector<LogicalCore>& cores, const Topology& topology) {
  const auto cache_of = last_level_of(topology);
  std::map<std::size_t, std::uint32_t> counts;
  std::uint32_t most = 1;
  for (const LogicalCore core : cores) {
    if (const auto at = cache_of.find(core); at != cache_of.end()) {
      most = std::max(most, ++counts[at->second]);
    }
  }
  return most;
}

Places places_by_cores(const std::vector<LogicalCore>& cores, const Topology& topology) {
  Places places{"cores", {}, most_in_one_cache(cores, topology)};
  for (const LogicalCore core : cores) places.list.push_back(place_of(core, topology));
  return places;
}

Places places_by_nodes(const std::vector<LogicalCore>& cores, const Topology& topology) {
  std::map<NumaNode, NumaPlace> by_node;
  for (const LogicalCore core : cores) {
    const NumaPlace one = place_of(core, topology);
    const auto [at, is_new] = by_node.emplace(one.numa, one);
    if (is_new) {
      at->second.id = one.numa.number();
    } else {
      at->second.cpus.push_back(one.cpu);
    }
  }
  Places places{"numa", {}, 1};
  for (auto& [node, place] : by_node) places.list.push_back(std::move(place));
  return places;
}

/// How far two places are by what the system declares, the nearest lowest.
using Class = std::tuple<bool, bool, bool, double>;

Class class_of(const Topology& topology, const NumaPlace& owner, const NumaPlace& reader) {
  const std::size_t from = owner.numa.number();
  const std::size_t to = reader.numa.number();
  const double distance = from < topology.distances.size() ? topology.distances[from].at(to) : 0.0;
  return {owner.id != reader.id, from != to, owner.package != reader.package, distance};
}

using Classes = std::vector<std::vector<Pair>>;

Classes classes_of(const std::vector<Pair>& cells, const Places& places, const Topology& topology) {
  std::map<Class, std::vector<Pair>> by_class;
  for (const Pair& cell : cells) {
    by_class[class_of(topology, places.list[cell.first], places.list[cell.second])].push_back(cell);
  }
  Classes classes;
  for (auto& [key, pairs] : by_class) classes.push_back(std::move(pairs));
  return classes;
}

}  // namespace

std::vector<PhysicalCore> Places::cpus() const {
  std::vector<PhysicalCore> all;
  for (const NumaPlace& place : list) all.push_back(place.cpu);
  return all;
}

std::vector<PhysicalCore> Places::cpus(const std::vector<std::uint32_t>& indexes) const {
  std::vector<PhysicalCore> chosen;
  for (const std::uint32_t index : indexes) chosen.push_back(list.at(index).cpu);
  return chosen;
}

std::optional<Over> over_named(std::string_view name) {
  if (name == "auto") return Over::kAuto;
  if (name == "cores") return Over::kCores;
  return name == "nodes" ? std::optional(Over::kNodes) : std::nullopt;
}

Places choose_places(const Topology& topology, Over over, std::size_t most_cores) {
  const std::vector<LogicalCore> cores = distinct_cores(topology);
  if (over == Over::kCores) return places_by_cores(cores, topology);
  if (over == Over::kNodes || cores.size() > kMaxCoresByDefault) {
    Places nodes = places_by_nodes(cores, topology);
    if (nodes.list.size() >= 2) return nodes;
  }
  return places_by_cores(evenly_chosen(cores, std::max<std::size_t>(most_cores, 1)), topology);
}

std::vector<Pair> choose_cells(const Places& places, const Topology& topology, Own own, std::size_t most,
                               std::uint64_t seed) {
  std::vector<Pair> all = ordered_pairs(places.count());
  if (own == Own::kExcluded) std::erase_if(all, [](const Pair& cell) { return cell.first == cell.second; });
  if (all.size() <= most) return all;
  std::vector<Pair> chosen;
  Classes farther;
  for (std::vector<Pair>& near : classes_of(all, places, topology)) {
    if (farther.empty() && 2 * near.size() <= most - chosen.size()) {
      chosen.insert(chosen.end(), near.begin(), near.end());
    } else {
      farther.push_back(std::move(near));
    }
  }
  std::vector<Pair> any;
  for (const auto& pairs : farther) any.insert(any.end(), pairs.begin(), pairs.end());
  farther.push_back(std::move(any));
  const auto sampled = spread_over_classes(farther, most - chosen.size(), RandomStream(seed));
  chosen.insert(chosen.end(), sampled.begin(), sampled.end());
  return chosen;
}

std::vector<std::uint32_t> choose_shifts(std::uint32_t places, std::size_t most, std::uint64_t seed) {
  std::set<std::uint32_t> shifts = {0};
  for (std::uint32_t shift = 1; shift < places && shifts.size() < most; shift *= 2) shifts.insert(shift);
  RandomStream random(seed);
  const std::size_t wanted = std::min<std::size_t>(places, std::max<std::size_t>(most, 1));
  while (shifts.size() < wanted) shifts.insert(static_cast<std::uint32_t>(random.below(places)));
  return {shifts.begin(), shifts.end()};
}

}  // namespace groma::survey
