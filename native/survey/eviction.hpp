// Does what one core reads push out what another core has cached? Victims fill a cache, evictors read,
// victims look: in this order, so that the answer does not depend on how well their threads run side by side.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/topology.hpp"
#include "survey/arena.hpp"
#include "survey/chase.hpp"
#include "survey/sharing_plan.hpp"

namespace groma::survey {

/// What happens between a victim's filling and its looking.
enum class Evicted {
  kNothing,  ///< the evictors read a small set for as long as they else would
  kByOthers,
  kByItself,  ///< the victim reads another set: what complete eviction from its caches looks like
};

std::string_view name_of(Evicted by);

/// Memory of each core for sets of up to `set` bytes, placed by the core itself.
class EvictionBench {
 public:
  /// Room that one core needs.
  static Bytes room_for(Bytes set);

  static Result<EvictionBench> prepare(const Topology& topology,
                                       const std::map<LogicalCore, Bytes>& largest_sets, RandomStream random);

  /// Time of a load of each victim, `repeats` in a row for each. In turn, or all victims at once.
  Result<std::vector<std::vector<Seconds>>> run(const SharingTest& test, Bytes set, Evicted by, bool in_turn,
                                                std::size_t repeats);

 private:
  EvictionBench(const Topology& topology, ChaseOrder order)
      : topology_(&topology), order_(std::move(order)) {}

  const Topology* topology_;
  ChaseOrder order_;
  std::map<LogicalCore, Arena> arenas_;
};

}  // namespace groma::survey
