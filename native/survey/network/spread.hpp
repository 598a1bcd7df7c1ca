// Cores for fewer processes than there are cores, spread evenly over packages, NUMA nodes and caches.
#pragma once

#include <cstddef>
#include <vector>

#include "base/topology.hpp"

namespace groma::survey::network {

/// The allowed cores, one hardware thread of each, in an order of which every beginning is spread as evenly
/// as it can be: first over packages, within these over NUMA nodes, then over caches from large to small.
std::vector<LogicalCore> spread_order(const Topology& topology);

}  // namespace groma::survey::network
