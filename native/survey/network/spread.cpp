#include "survey/network/spread.hpp"

#include <algorithm>
#include <map>

#include "base/topology_queries.hpp"

namespace groma::survey::network {
namespace {

/// Where a core lies, from the outermost place to the innermost.
using Path = std::vector<std::uint32_t>;

struct Placed {
  LogicalCore core;
  Path path;
};

/// Number of the cache of each level around a core, large levels first; 0 for none.
Path caches_around(const Topology& topology, LogicalCore core) {
  std::map<std::uint32_t, std::uint32_t, std::greater<>> around;
  for (std::uint32_t i = 0; i < topology.caches.size(); ++i) {
    const TopologyCache& cache = topology.caches[i];
    if (cache.kind == "instruction") continue;
    std::uint32_t& number = around[cache.level];
    if (std::find(cache.cores.begin(), cache.cores.end(), core) != cache.cores.end()) number = i + 1;
  }
  Path path;
  for (const auto& [level, number] : around) path.push_back(number);
  return path;
}

Path path_of(const Topology& topology, LogicalCore core) {
  const TopologyCore& place = topology.cores.at(core.number());
  Path path = {place.package, place.numa.number()};
  const Path caches = caches_around(topology, core);
  path.insert(path.end(), caches.begin(), caches.end());
  return path;
}

/// One of each group in turn, each group spread in itself.
std::vector<Placed> spread(std::vector<Placed> cores, std::size_t depth) {
  if (cores.size() < 2 || depth == cores.front().path.size()) return cores;
  std::map<std::uint32_t, std::vector<Placed>> groups;
  for (Placed& one : cores) groups[one.path[depth]].push_back(std::move(one));
  std::vector<std::vector<Placed>> parts;
  for (auto& [number, group] : groups) parts.push_back(spread(std::move(group), depth + 1));
  std::vector<Placed> mixed;
  for (std::size_t turn = 0; mixed.size() < cores.size(); ++turn) {
    for (const auto& part : parts) {
      if (turn < part.size()) mixed.push_back(part[turn]);
    }
  }
  return mixed;
}

}  // namespace

std::vector<LogicalCore> spread_order(const Topology& topology) {
  std::vector<Placed> cores;
  for (const LogicalCore core : one_core_per(Place::kCore, topology)) {
    cores.push_back({core, path_of(topology, core)});
  }
  std::vector<LogicalCore> order;
  for (const Placed& one : spread(std::move(cores), 0)) order.push_back(one.core);
  return order;
}

}  // namespace groma::survey::network
