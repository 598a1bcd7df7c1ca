// Groups of cores that may contend for memory, as the machine declares them, and how many of each to run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/topology.hpp"

namespace groma::survey {

/// Allowed cores that share something, ascending.
struct CoreGroup {
  std::string kind;  ///< "L3", "NUMA node", "package", "machine"
  std::vector<LogicalCore> cores;
};

/// Each set of two and more allowed cores that share a data cache, a NUMA node, a package or the machine,
/// once, from the smallest kind; of each kind at most `most`.
std::vector<CoreGroup> core_groups(const Topology& topology, std::size_t most);

/// All numbers up to 8; beyond 12, 16, 24, 32 …, and all cores.
std::vector<std::size_t> core_counts(std::size_t all);

}  // namespace groma::survey
