#include "base/topology.hpp"

#include <algorithm>
#include <set>

#include "base/affinity.hpp"

namespace groma {
namespace {

bool uses(const TopologyCache& cache, const std::vector<LogicalCore>& allowed) {
  return std::any_of(allowed.begin(), allowed.end(), [&](LogicalCore core) {
    return std::find(cache.cores.begin(), cache.cores.end(), core) != cache.cores.end();
  });
}

}  // namespace

std::optional<Bytes> Topology::last_level_cache() const {
  std::optional<Bytes> largest;
  for (const TopologyCache& cache : caches) {
    if (cache.kind == "instruction" || !uses(cache, allowed)) continue;
    largest = std::max(largest.value_or(Bytes(0)), cache.size);
  }
  return largest;
}

}  // namespace groma
