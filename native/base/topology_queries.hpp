// Selections of cores and pairs that probes measure, so that their cost follows what the machine declares
// and not the square of its cores.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/topology.hpp"

namespace groma {

enum class Place { kCore, kNuma, kPackage };

/// The first allowed hardware thread of each such place, ascending.
std::vector<LogicalCore> one_core_per(Place place, const Topology& topology);

/// `cores` in an order of which every beginning is spread as evenly as possible: over packages, then NUMA
/// nodes, then caches from the highest level down, then cores; hardware threads of one core come last.
std::vector<LogicalCore> spread_order(std::span<const LogicalCore> cores, const Topology& topology);

/// Declared sizes of the data and unified caches around a core, by level: hybrid machines have several kinds
/// of cores.
std::map<std::uint32_t, Bytes> data_cache_sizes(const Topology& topology, LogicalCore core);

/// The size at one level, `otherwise` where none is declared around this core.
Bytes data_cache_size(const Topology& topology, LogicalCore core, std::uint32_t level, Bytes otherwise);

/// What two hardware threads share, closest first. Threads of one core are siblings whatever caches they
/// share; a shared cache counts more than a NUMA node or a package.
enum class Sharing { kCore, kCache, kNuma, kPackage, kMachine };

/// Pairs with equal relations are expected to behave alike.
struct Relation {
  Sharing sharing = Sharing::kMachine;
  std::uint32_t cache_level = 0;   ///< the lowest data or unified cache shared, for kCache
  std::optional<double> distance;  ///< between their NUMA nodes where these differ and it is declared
  auto operator<=>(const Relation&) const = default;
};

/// "SMT siblings", "share L2", "same NUMA node", "same package, distance 16", "other package".
std::string name_of(const Relation& relation);

/// Tells the relation of any two cores in constant time.
class Relations {
 public:
  explicit Relations(const Topology& topology);
  [[nodiscard]] Relation between(LogicalCore a, LogicalCore b) const;

 private:
  /// Instance numbers of the caches around each core, by level; 0 for none.
  struct CoreLocation {
    std::uint32_t core;
    std::uint32_t package;
    std::optional<NumaNode> numa;  ///< to which it is local
    std::vector<std::uint32_t> cache_at_level;
  };
  [[nodiscard]] std::optional<double> distance(const CoreLocation& a, const CoreLocation& b) const;

  std::vector<CoreLocation> locations_;
  std::vector<std::vector<double>> distances_;
};

struct CorePair {
  LogicalCore first;
  LogicalCore second;
  auto operator<=>(const CorePair&) const = default;
};

struct RelationClass {
  Relation relation;
  std::uint64_t total = 0;      ///< pairs with this relation
  std::vector<CorePair> pairs;  ///< all of them, or a uniform sample; the lower core first
};

/// The pairs of `cores` by relation, closest first, at most `most_per_class` of each: memory stays bounded
/// where there are thousands of cores.
std::vector<RelationClass> relation_classes(const Topology& topology, std::span<const LogicalCore> cores,
                                            std::size_t most_per_class, RandomStream random);

}  // namespace groma
