// The eight ways to map the parts of the benchmark to the cores of nodes (Aggarwal et al. 2008, table 1): its
// table, its generation of updates and its limit on look-ahead, each one for a core or one for a node. A core
// is a rank, a node the ranks that share memory.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "mpi/communicator.hpp"
#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

struct MappingMode {
  int number;
  bool table_of_node;
  bool generation_of_node;
  bool limit_of_node;
};

/// All eight, by number.
std::span<const MappingMode> mapping_modes();

/// Errors (usage): no number of a mode, or one of the modes that have no meaning, with the reason.
Result<MappingMode> mapping_mode(int number);

/// Collective. What this rank generates: empty where another rank of its node does. `own` are the updates
/// that fall to this rank where each generates its own, in the order of ranks.
Section generated_by(const MappingMode& mode, const mpi::Communicator& world, const mpi::Communicator& node,
                     Section own);

/// Collective. The maximum over all cores or all nodes, whichever the limit applies to, from the most that
/// each rank held. A node's sum takes the peaks of its ranks together, wherever in time each was.
std::uint64_t most_pending(const MappingMode& mode, const mpi::Communicator& world,
                           const mpi::Communicator& node, std::uint64_t of_this_rank);

}  // namespace groma::randomaccess
