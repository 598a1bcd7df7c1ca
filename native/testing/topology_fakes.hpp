// Writes the /sys and /proc of a machine, for tests only.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/topology.hpp"
#include "base/topology_numbering.hpp"
#include "testing/fakes.hpp"

namespace groma::fake {

/// "0,2,3"
inline std::string list_text(const CpuList& cpus) {
  std::string text;
  for (const std::uint32_t cpu : cpus) {
    if (!text.empty()) text += ',';
    text += std::to_string(cpu);
  }
  return text += '\n';
}

/// Words of 32 bits in hexadecimal digits, the highest first: "00000001,ff000000".
inline std::string mask_text(const CpuList& cpus) {
  std::vector<std::uint32_t> words(cpus.empty() ? 1 : *std::max_element(cpus.begin(), cpus.end()) / 32 + 1);
  for (const std::uint32_t cpu : cpus) words[cpu / 32] |= std::uint32_t{1} << (cpu % 32);
  std::string text;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%08x", *word);
    if (!text.empty()) text += ',';
    text += digits;
  }
  return text += '\n';
}

/// Writes what Linux says about a topology, in the kernel's numbers.
class SysfsWriter {
 public:
  SysfsWriter(const Tree& tree, const Topology& topology) : tree_(tree), topology_(topology) {}

  void write() const {
    write_cpus();
    for (const TopologyCache& cache : topology_.caches) write_cache(cache);
    for (const TopologyNuma& node : topology_.numa) write_node(node);
  }

 private:
  static std::string cpu_folder(std::uint32_t cpu) {
    return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
  }

  [[nodiscard]] CpuList physical(const std::vector<LogicalCore>& cores) const {
    CpuList cpus;
    for (const LogicalCore core : cores) cpus.push_back(topology_.physical(core).number());
    std::sort(cpus.begin(), cpus.end());
    return cpus;
  }

  /// CPUs by the number that `key` gives them, each list ascending.
  template <class Key>
  [[nodiscard]] std::map<std::uint32_t, CpuList> grouped(Key key) const {
    std::map<std::uint32_t, CpuList> groups;
    for (const TopologyCore& core : topology_.cores) groups[key(core)].push_back(core.physical.number());
    for (auto& [number, cpus] : groups) std::sort(cpus.begin(), cpus.end());
    return groups;
  }

  void write_siblings(std::uint32_t cpu, const std::string& what, const CpuList& cpus) const {
    tree_.write(cpu_folder(cpu) + "topology/" + what, mask_text(cpus));
    tree_.write(cpu_folder(cpu) + "topology/" + what + "_list", list_text(cpus));
  }

  void write_cpus() const {
    const auto by_core = grouped([](const TopologyCore& core) { return core.core; });
    const auto by_package = grouped([](const TopologyCore& core) { return core.package; });
    CpuList online;
    for (const TopologyCore& core : topology_.cores) {
      const std::uint32_t cpu = core.physical.number();
      online.push_back(cpu);
      write_siblings(cpu, "core_cpus", by_core.at(core.core));
      write_siblings(cpu, "package_cpus", by_package.at(core.package));
      // Kernels number the cores of each package from 0, with gaps.
      tree_.write(cpu_folder(cpu) + "topology/core_id", std::to_string(core.core * 2) + "\n");
      tree_.write(cpu_folder(cpu) + "topology/physical_package_id", std::to_string(core.package) + "\n");
    }
    std::sort(online.begin(), online.end());
    tree_.write("sys/devices/system/cpu/online", list_text(online));
    tree_.write("sys/devices/system/cpu/possible", list_text(online));
  }

  void write_cache(const TopologyCache& cache) const {
    const CpuList cpus = physical(cache.cores);
    for (const std::uint32_t cpu : cpus) {
      const std::string index = std::to_string(cache.level * 2 + (cache.kind == "instruction" ? 1 : 0));
      const std::string folder = cpu_folder(cpu) + "cache/index" + index + "/";
      tree_.write(folder + "level", std::to_string(cache.level) + "\n");
      tree_.write(folder + "type", type_of(cache.kind));
      if (cache.size) tree_.write(folder + "size", std::to_string(cache.size->value() >> 10U) + "K\n");
      if (cache.line) tree_.write(folder + "coherency_line_size", std::to_string(cache.line->value()) + "\n");
      if (cache.ways) tree_.write(folder + "ways_of_associativity", std::to_string(*cache.ways) + "\n");
      if (cache.size && cache.line && cache.ways) {
        const std::uint64_t way = cache.line->value() * *cache.ways;
        tree_.write(folder + "number_of_sets", std::to_string(cache.size->value() / way) + "\n");
        tree_.write(folder + "physical_line_partition", "1\n");
      }
      tree_.write(folder + "shared_cpu_map", mask_text(cpus));
      tree_.write(folder + "shared_cpu_list", list_text(cpus));
    }
  }

  static std::string type_of(const std::string& kind) {
    if (kind == "data") return "Data\n";
    return kind == "instruction" ? "Instruction\n" : "Unified\n";
  }

  void write_node(const TopologyNuma& node) const {
    const std::string number = std::to_string(node.physical);
    const std::string folder = "sys/devices/system/node/node" + number + "/";
    tree_.write(folder + "cpulist", list_text(physical(node.cores)));
    tree_.write(folder + "cpumap", mask_text(physical(node.cores)));
    if (node.memory) {
      const std::string kib = std::to_string(node.memory->value() >> 10U);
      tree_.write(folder + "meminfo", "Node " + number + " MemTotal:       " + kib + " kB\nNode " + number +
                                          " MemFree:        1024 kB\n");
    }
    if (node.memory_side_cache) {
      const std::string size = std::to_string(node.memory_side_cache->value());
      tree_.write(folder + "memory_side_cache/index1/size", size + "\n");
      tree_.write(folder + "memory_side_cache/index1/line_size", "64\n");
      tree_.write(folder + "memory_side_cache/index1/indexing", "0\n");
    }
    if (!topology_.distances.empty()) tree_.write(folder + "distance", distances_from(node) + "\n");
  }

  /// The kernel writes rows in the order of its own numbers.
  [[nodiscard]] std::string distances_from(const TopologyNuma& node) const {
    std::map<std::uint32_t, double> by_physical;
    for (const TopologyNuma& other : topology_.numa) {
      by_physical[other.physical] = topology_.distances.at(node.logical.number()).at(other.logical.number());
    }
    std::string row;
    for (const auto& [physical, distance] : by_physical) {
      if (!row.empty()) row += ' ';
      row += std::to_string(static_cast<int>(distance));
    }
    return row;
  }

  const Tree& tree_;
  const Topology& topology_;
};

inline void write_sysfs(const Tree& tree, const Topology& topology) {
  SysfsWriter(tree, topology).write();
}

}  // namespace groma::fake
