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

/// One hardware thread; equal `core` numbers are SMT siblings.
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
  Bytes size;
  std::optional<Bytes> line;
  std::optional<std::uint32_t> ways;
  std::vector<LogicalCore> cores;
};

struct TopologyNuma {
  NumaNode logical;
  std::uint32_t physical = 0;
  std::optional<Bytes> memory;
  std::vector<LogicalCore> cores;
};

struct Topology {
  std::string source;
  std::vector<TopologyCore> cores;  ///< index = logical number
  std::vector<TopologyCache> caches;
  std::vector<TopologyNuma> numa;
  std::vector<std::vector<double>> distances;  ///< empty where not declared; rows and columns as `numa`
  std::vector<LogicalCore> allowed;            ///< affinity mask and cpuset of this process
  Bytes page{4096};
  std::optional<Bytes> huge_page;

  /// Size of the largest declared data or unified cache that an allowed core uses.
  [[nodiscard]] std::optional<Bytes> last_level_cache() const;
  [[nodiscard]] PhysicalCore physical(LogicalCore core) const { return cores.at(core.number()).physical; }
};

/// Reads /sys and /proc below `root`; a machine that hides them still has its allowed CPUs. Never fails:
/// what is not declared is left empty.
Topology topology_from_sysfs(const std::string& root, const std::vector<PhysicalCore>& allowed);

/// Reads through hwloc (which also honours HWLOC_XMLFILE and HWLOC_SYNTHETIC); an error where hwloc was not
/// built in or cannot load.
Result<Topology> topology_from_hwloc(const std::vector<PhysicalCore>& allowed);

/// hwloc if it was built in and loads, else /sys.
Topology this_topology();

Json to_json(const Topology& topology);

}  // namespace groma
