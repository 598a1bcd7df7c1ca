// Where the NUMA experiments run: on every core, or on one core of each NUMA node; and which pairs of these
// places they measure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/pair_design.hpp"
#include "base/topology.hpp"

namespace groma::survey {

/// `id` is the logical number of the NUMA node or of the core. `cpu` stands for the place where one core
/// acts, `cpus` are all of it where all cores act at once.
struct NumaPlace {
  std::uint32_t id;
  PhysicalCore cpu;
  NumaNode numa;
  std::uint32_t package;
  std::vector<PhysicalCore> cpus;
};

struct Places {
  std::string_view over;  ///< "numa" or "cores"
  std::vector<NumaPlace> list;
  std::uint32_t in_one_cache = 1;  ///< most places that share a last-level cache

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(list.size()); }
  [[nodiscard]] std::vector<PhysicalCore> cpus() const;
  [[nodiscard]] std::vector<PhysicalCore> cpus(const std::vector<std::uint32_t>& indexes) const;
};

enum class Over : std::uint8_t { kAuto, kCores, kNodes };

/// Nothing for other words than "auto", "cores" and "nodes".
std::optional<Over> over_named(std::string_view name);

/// From this many cores on, kAuto takes NUMA nodes.
inline constexpr std::size_t kMaxCoresByDefault = 64;

/// Places by cores: one hardware thread of each allowed core, as long as that leaves two. Places by nodes:
/// the NUMA nodes with an allowed core, and the cores instead where that is a single node. kAuto takes cores
/// up to kMaxCoresByDefault and nodes beyond. Cores that the caller did not ask for are at most
/// `most_cores`, spread evenly over the machine.
Places choose_places(const Topology& topology, Over over, std::size_t most_cores);

/// Whether a place reads its own block too.
enum class Own : std::uint8_t { kIncluded, kExcluded };

/// At most `most` (owner, reader) pairs of places in both directions. Where that is not all of them: all
/// pairs of the nearest declared classes as long as these take at most half of what is left, the others in
/// turn from each farther class and at random.
std::vector<Pair> choose_cells(const Places& places, const Topology& topology, Own own, std::size_t most,
                               std::uint64_t seed);

/// Steps s of the lock-step experiment, ascending from 0: all of 0 … places - 1 if they are at most `most`,
/// else powers of two and random ones, `most` in all.
std::vector<std::uint32_t> choose_shifts(std::uint32_t places, std::size_t most, std::uint64_t seed);

/// Whose block the reader takes at a step: (reader + shift) mod places.
constexpr std::uint32_t owner_at_step(std::uint32_t reader, std::uint32_t shift, std::uint32_t places) {
  return (reader + shift) % places;
}

}  // namespace groma::survey
