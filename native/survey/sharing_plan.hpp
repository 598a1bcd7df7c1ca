// Which cores disturb which to find out who shares a cache: a number of tests that grows with the logarithm
// of the caches and the square of the members looked at in each, but never with the square of the cores.
#pragma once

#include <vector>

#include "base/topology.hpp"
#include "base/units.hpp"

namespace groma::survey {

using CoreGroups = std::vector<std::vector<LogicalCore>>;

/// Every victim fills the cache, then all evictors do, then the victims look what is left.
struct SharingTest {
  std::vector<LogicalCore> victims;
  std::vector<LogicalCore> evictors;
};

/// The allowed cores grouped as the system declares them around the data caches of a level, ascending; a core
/// without such a cache stands alone. The declaration is a guess to be tested, no more.
CoreGroups declared_groups(const Topology& topology, std::uint32_t level);

/// At most `most_groups` of the groups and `most_members` of each, spread evenly, the first always among
/// them.
CoreGroups sampled(const CoreGroups& groups, std::size_t most_groups, std::size_t most_members);

/// Groups against each other: for every bit of a group's number the first members of those with the bit are
/// victims of all members of those without, and the other way round, so that each two meet. Then all pairs
/// inside the groups, in all groups at once: who evicted whom follows from the first kind of test.
std::vector<SharingTest> sharing_tests(const CoreGroups& groups);

/// What is to be tested with sets of `set` bytes.
struct SharingStage {
  Bytes set;
  std::uint32_t level;  ///< whose declared sharing is tested; 0 where nothing is declared
  CoreGroups groups;    ///< around caches that hold the set; kinds of cores with smaller ones are `strangers`
  std::vector<LogicalCore> strangers;  ///< evict but are no victims: they have no such cache of their own
};

struct SamplingLimits {
  std::size_t groups;
  std::size_t members;
};

/// The tests of a stage: those of its groups, then their first members as victims of the strangers.
std::vector<SharingTest> sharing_tests(const SharingStage& stage);

/// A stage for a set of about 0.7 of each declared cache of another size, and for halves of that below the
/// last level, whose share a guest does not know. Hybrid machines have levels of several sizes. Without
/// declared caches: all sets from 24 KiB to 24 MiB, each core alone.
std::vector<SharingStage> sharing_stages(const Topology& topology, const SamplingLimits& limits);

/// The same for given sets; each tests the smallest declared level that holds it, or the last one.
std::vector<SharingStage> sharing_stages(const Topology& topology, const SamplingLimits& limits,
                                         const std::vector<Bytes>& sets);

/// Cores that take part in any test of the stage.
std::vector<LogicalCore> participants(const SharingStage& stage);

}  // namespace groma::survey
