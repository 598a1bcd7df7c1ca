// Turns the kernel's numbers, which the readers of a topology (sysfs, hwloc) give, into the logical numbers
// of Topology, in the same way for every reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/topology.hpp"

namespace groma {

/// Ascending kernel numbers of CPUs.
using CpuList = std::vector<std::uint32_t>;

/// CPUs with equal `core` are SMT siblings, with equal `package` in one package; any numbering will do.
struct DeclaredCpu {
  std::uint32_t cpu = 0;
  std::uint32_t core = 0;
  std::uint32_t package = 0;
};

struct DeclaredCache {
  std::uint32_t level = 0;
  std::string kind;
  std::optional<Bytes> size;
  std::optional<Bytes> line;
  std::optional<std::uint32_t> ways;
  CpuList cpus;
};

/// A node whose CPUs another one claimed before counts as memory only.
struct DeclaredNode {
  std::uint32_t physical = 0;
  std::optional<Bytes> memory;
  std::optional<Bytes> memory_side_cache;
  CpuList cpus;
};

struct DeclaredMachine {
  std::string source;
  std::vector<DeclaredCpu> cpus;  ///< online ones, in logical order
  std::vector<DeclaredCache> caches;
  std::vector<DeclaredNode> nodes;
  std::vector<std::vector<double>> distances;  ///< rows and columns as `nodes`, or empty
  CpuList forbidden = {};                      ///< by the control group
};

/// The logical order of `cpus`: sets that nest (packages, NUMA nodes, caches, cores) stay together, and
/// siblings at every level are ordered by their lowest CPU. This is hwloc's order of processing units.
CpuList logical_order(const CpuList& cpus, const std::vector<CpuList>& nested_sets);

/// Adds unions of NUMA nodes that lie closest together, then of such unions, as far as these nest with the
/// other sets. `distances` has the rows and columns of `nodes`.
void add_groups_of_close_nodes(const std::vector<CpuList>& nodes,
                               const std::vector<std::vector<double>>& distances,
                               std::vector<CpuList>& nested_sets);

/// Gives everything logical numbers: cores and packages by their first CPU; NUMA nodes with CPUs by their
/// first core, those without behind them. `allowed` are kernel numbers; empty means that all are.
Topology number_machine(const DeclaredMachine& machine, const std::vector<PhysicalCore>& allowed);

/// HWLOC_XMLFILE, HWLOC_SYNTHETIC or another variable of hwloc that names another machine, if one is set;
/// nullptr where HWLOC_THISSYSTEM=1 says that it describes this one.
const char* variable_naming_another_machine();

/// Page sizes of this machine, the huge one after <root>/proc/meminfo.
void add_page_sizes(const std::string& root, Topology& topology);

}  // namespace groma
