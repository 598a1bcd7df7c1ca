// The node as the operating system declares it: cores, caches, NUMA. Read from hwloc where it was built in,
// else from /sys; nothing here is measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/units.hpp"

namespace groma {

/// One hardware thread; equal `core` numbers are SMT siblings. `numa` is the first node for a thread to which
/// no memory is local.
struct TopologyCore {
  LogicalCore logical;
  PhysicalCore physical;
  std::uint32_t core = 0;
  std::uint32_t package = 0;
  NumaNode numa;
};

struct TopologyCache {
  std::uint32_t level = 0;
  std::string kind;  ///< "data", "instruction" or "unified"
  std::optional<Bytes> size;
  std::optional<Bytes> line;
  std::optional<std::uint32_t> ways;
  std::vector<LogicalCore> cores;
};

struct TopologyNuma {
  NumaNode logical;
  std::uint32_t physical = 0;
  std::optional<Bytes> memory;
  std::optional<Bytes> memory_side_cache;  ///< in front of this memory, beside no core (such as KNL's MCDRAM)
  std::vector<LogicalCore> cores;          ///< local to it; none for memory without CPUs
};

struct Topology {
  std::string source;
  std::vector<TopologyCore> cores;  ///< index = logical number
  std::vector<TopologyCache> caches;
  std::vector<TopologyNuma> numa;
  std::vector<std::vector<double>> distances;  ///< empty where not declared; rows and columns as `numa`
  std::vector<LogicalCore> allowed;            ///< affinity mask and cpuset of this process
  std::vector<LogicalCore> forbidden;          ///< by the control group: Open MPI does not number them
  Bytes page{4096};
  std::optional<Bytes> huge_page;
  bool this_system = true;  ///< false for a machine loaded from a file: good for planning, not for pinning

  /// Size of the largest declared data or unified cache that an allowed core uses.
  [[nodiscard]] std::optional<Bytes> last_level_cache() const;
  [[nodiscard]] PhysicalCore physical(LogicalCore core) const { return cores.at(core.number()).physical; }
};

/// Reads /sys and /proc below `root`; a machine that hides them still has its allowed CPUs. Never fails:
/// what is not declared is left empty.
Topology topology_from_sysfs(const std::string& root, const std::vector<PhysicalCore>& allowed);

/// Reads through hwloc; an error where hwloc was not built in, cannot load, or shows no CPU of this process.
/// HWLOC_XMLFILE, HWLOC_SYNTHETIC or HWLOC_FSROOT name another machine: its own allowed CPUs then replace
/// `allowed`.
Result<Topology> topology_from_hwloc(const std::vector<PhysicalCore>& allowed);

/// hwloc if it was built in and loads, else /sys. An error only where the environment names another machine
/// (see topology_from_hwloc) that cannot be loaded.
Result<Topology> declared_topology();

/// The machine that probes may pin threads to; an error also where the environment names another one.
Result<Topology> topology_to_measure();

/// This machine, or the one that the environment names if it can be loaded.
Topology this_topology();

/// groma.record.Topology
Json to_json(const Topology& topology);

}  // namespace groma
