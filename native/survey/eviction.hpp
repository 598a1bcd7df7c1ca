// Whether the reads of one core evict what another core has cached. Victims fill a cache, evictors read,
// victims read again: one step after the other, so that the answer does not depend on how well the threads
// overlap.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/pages.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "base/topology.hpp"
#include "survey/chase.hpp"
#include "survey/sharing_plan.hpp"

namespace groma::survey {

/// Who reads between the two times that a victim reads its set.
enum class EvictionSource {
  kNone,  ///< the evictors read a small set for as long as they else would
  kOthers,
  kSelf,  ///< the victim reads another set: what complete eviction from its caches looks like
};

std::string_view name_of(EvictionSource by);

/// What a victim measured when it read its set again.
struct VictimSample {
  Seconds per_load;
  bool disturbed;  ///< the victim lost its core between filling and reading again
};

/// The least time of the undisturbed samples of one visit, which all see the same moment of the machine;
/// nothing where the victim lost its core in each.
std::optional<Seconds> quietest(std::span<const VictimSample> samples);

/// The memory of one core. Small sets lie in other pages each time. Large ones stay where they are and are
/// linked once: linking takes as long as all the rest, and a few pages more or less do not matter to them.
class CoreSets {
 public:
  static Bytes room_for(const std::vector<Bytes>& sets);

  /// Touches the memory from the calling thread. `block` has room for the sets.
  CoreSets(Block block, const std::vector<Bytes>& sets, RandomStream random);

  /// A set of its own and twice as much that evicts.
  struct View {
    std::byte* own;
    std::byte* evicting;
    Link** linked;  ///< of a large set: where its first node is kept, null before it is linked
  };
  View view(Bytes set);

 private:
  static Bytes shared_room(const std::vector<Bytes>& sets);

  struct Large {
    std::byte* place;
    Link* linked;
  };
  Block block_;
  Bytes shared_;  ///< at the start of the block: small sets, and what evicts large ones
  RandomStream random_;
  std::map<Bytes, Large> large_;
};

/// Runs the tests on pinned threads.
class EvictionBench {
 public:
  /// `sets` are those that each core will be asked for.
  static Result<EvictionBench> prepare(const Topology& topology,
                                       const std::map<LogicalCore, std::vector<Bytes>>& sets,
                                       RandomStream random);

  /// Samples of each victim, in turn or all victims at once: `wanted` ones, of small sets more until as many
  /// are undisturbed.
  Result<std::vector<std::vector<VictimSample>>> run(const SharingTest& test, Bytes set, EvictionSource by,
                                                     bool in_turn, std::size_t wanted);

 private:
  EvictionBench(const Topology& topology, ChaseOrder order)
      : topology_(&topology), order_(std::move(order)) {}

  const Topology* topology_;
  ChaseOrder order_;
  std::map<LogicalCore, CoreSets> cores_;
};

}  // namespace groma::survey
