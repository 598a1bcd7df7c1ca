#include "base/topology_numbering.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace groma {
namespace {

using LogicalOf = std::map<std::uint32_t, LogicalCore>;

/// Numbers keys 0, 1, 2, … in the order in which they first come.
class FirstSeen {
 public:
  std::uint32_t number(std::uint32_t key) {
    return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

LogicalOf logical_numbers(const std::vector<DeclaredCpu>& cpus) {
  LogicalOf logical;
  for (const DeclaredCpu& cpu : cpus) {
    logical.emplace(cpu.cpu, LogicalCore(static_cast<std::uint32_t>(logical.size())));
  }
  return logical;
}

std::vector<LogicalCore> to_logical(const CpuList& cpus, const LogicalOf& logical) {
  std::vector<LogicalCore> cores;
  for (const std::uint32_t cpu : cpus) {
    if (const auto found = logical.find(cpu); found != logical.end()) cores.push_back(found->second);
  }
  std::sort(cores.begin(), cores.end());
  return cores;
}

std::vector<TopologyCore> number_cores(const std::vector<DeclaredCpu>& cpus) {
  FirstSeen cores;
  FirstSeen packages;
  std::vector<TopologyCore> numbered;
  for (const DeclaredCpu& cpu : cpus) {
    numbered.push_back({.logical = LogicalCore(static_cast<std::uint32_t>(numbered.size())),
                        .physical = PhysicalCore(cpu.cpu),
                        .core = cores.number(cpu.core),
                        .package = packages.number(cpu.package),
                        .numa = NumaNode(0)});
  }
  return numbered;
}

std::vector<TopologyCache> number_caches(const std::vector<DeclaredCache>& declared,
                                         const LogicalOf& logical) {
  std::vector<TopologyCache> caches;
  for (const DeclaredCache& one : declared) {
    std::vector<LogicalCore> cores = to_logical(one.cpus, logical);
    if (!cores.empty())
      caches.push_back({one.level, one.kind, one.size, one.line, one.ways, std::move(cores)});
  }
  std::sort(caches.begin(), caches.end(), [](const TopologyCache& a, const TopologyCache& b) {
    return std::tie(a.level, a.kind, a.cores) < std::tie(b.level, b.kind, b.cores);
  });
  return caches;
}

/// A node and its place in the declared machine (rows of the distances).
struct PlacedNode {
  std::size_t row;
  TopologyNuma node;
};

bool comes_before(const PlacedNode& a, const PlacedNode& b) {
  const auto key = [](const PlacedNode& one) {
    const bool memory_only = one.node.cores.empty();
    return std::tuple(memory_only, memory_only ? LogicalCore() : one.node.cores.front(), one.node.physical);
  };
  return key(a) < key(b);
}

/// In logical order. Each core is of one node at most: the first that claims it. Where none claims any, the
/// first of all has them.
std::vector<PlacedNode> place_nodes(const std::vector<DeclaredNode>& declared, const LogicalOf& logical) {
  std::vector<PlacedNode> placed;
  std::set<LogicalCore> homeless;
  for (const auto& [cpu, core] : logical) homeless.insert(core);
  for (const DeclaredNode& one : declared) {
    std::vector<LogicalCore> cores = to_logical(one.cpus, logical);
    std::erase_if(cores, [&](LogicalCore core) { return homeless.erase(core) == 0; });
    placed.push_back({placed.size(),
                      {.logical = {},
                       .physical = one.physical,
                       .memory = one.memory,
                       .memory_side_cache = one.memory_side_cache,
                       .cores = std::move(cores)}});
  }
  if (placed.empty()) placed.push_back({0, {}});
  std::sort(placed.begin(), placed.end(), comes_before);
  if (homeless.size() == logical.size()) placed.front().node.cores = {homeless.begin(), homeless.end()};
  return placed;
}

std::vector<std::vector<double>> reorder(const std::vector<std::vector<double>>& matrix,
                                         const std::vector<PlacedNode>& order) {
  if (order.size() < 2 || matrix.size() != order.size()) return {};  // one place has no distances
  std::vector<std::vector<double>> reordered;
  for (const PlacedNode& row : order) {
    if (matrix[row.row].size() != order.size()) return {};
    std::vector<double>& values = reordered.emplace_back();
    for (const PlacedNode& column : order) values.push_back(matrix[row.row][column.row]);
  }
  return reordered;
}

void number_nodes(const DeclaredMachine& machine, const LogicalOf& logical, Topology& topology) {
  std::vector<PlacedNode> placed = place_nodes(machine.nodes, logical);
  topology.distances = reorder(machine.distances, placed);
  for (PlacedNode& one : placed) {
    one.node.logical = NumaNode(static_cast<std::uint32_t>(topology.numa.size()));
    for (const LogicalCore core : one.node.cores) topology.cores[core.number()].numa = one.node.logical;
    topology.numa.push_back(std::move(one.node));
  }
}

std::vector<LogicalCore> allowed_cores(const std::vector<PhysicalCore>& allowed, const LogicalOf& logical) {
  CpuList cpus;
  for (const PhysicalCore cpu : allowed) cpus.push_back(cpu.number());
  if (!cpus.empty()) return to_logical(cpus, logical);
  std::vector<LogicalCore> all;
  for (const auto& [cpu, core] : logical) all.push_back(core);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

CpuList logical_order(const CpuList& cpus, const std::vector<CpuList>& nested_sets) {
  // A CPU's key lists the lowest CPU of every set around it, from the widest to the CPU itself. Where sets
  // nest, keys first differ at two disjoint sets, so comparing keys orders these by their lowest CPUs.
  std::map<std::uint32_t, std::vector<std::uint32_t>> keys;
  for (const std::uint32_t cpu : cpus) keys[cpu] = {};
  const auto wider = [](const CpuList& a, const CpuList& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  };
  const std::set<CpuList, decltype(wider)> sets(nested_sets.begin(), nested_sets.end());
  for (const CpuList& set : sets) {
    for (const std::uint32_t cpu : set) {
      if (const auto key = keys.find(cpu); key != keys.end()) key->second.push_back(set.front());
    }
  }
  for (auto& [cpu, key] : keys) key.push_back(cpu);
  CpuList order;
  for (const auto& [cpu, key] : keys) order.push_back(cpu);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return keys.at(a) < keys.at(b); });
  return order;
}

Topology number_machine(const DeclaredMachine& machine, const std::vector<PhysicalCore>& allowed) {
  const LogicalOf logical = logical_numbers(machine.cpus);
  Topology topology;
  topology.source = machine.source;
  topology.cores = number_cores(machine.cpus);
  topology.caches = number_caches(machine.caches, logical);
  topology.allowed = allowed_cores(allowed, logical);
  topology.forbidden = to_logical(machine.forbidden, logical);
  number_nodes(machine, logical, topology);
  return topology;
}

}  // namespace groma
