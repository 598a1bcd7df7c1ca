#include "randomaccess/mapping.hpp"

#include <array>
#include <numeric>
#include <string>

namespace groma::randomaccess {
namespace {

constexpr bool kCore = false;
constexpr bool kNode = true;

constexpr std::array<MappingMode, 8> kModes = {{
    {1, kCore, kCore, kCore},
    {2, kCore, kCore, kNode},
    {3, kCore, kNode, kCore},
    {4, kCore, kNode, kNode},
    {5, kNode, kCore, kCore},
    {6, kNode, kCore, kNode},
    {7, kNode, kNode, kCore},
    {8, kNode, kNode, kNode},
}};

std::string meaningless(const MappingMode& mode) {
  const std::string what = mode.generation_of_node && mode.limit_of_node ? "its generation and its limit"
                           : mode.generation_of_node                     ? "its generation"
                                                                         : "its limit";
  return "mapping mode " + std::to_string(mode.number) + " has a table for each core but " + what +
         " for the node: that combination is not defined";
}

/// Where the sections of ranks begin that have so many updates each. Collective.
std::uint64_t start_of(const mpi::Communicator& world, std::uint64_t count) {
  const auto counts = world.gather_to_all(count);
  return std::accumulate(counts.begin(), counts.begin() + world.rank(), std::uint64_t{0});
}

}  // namespace

std::span<const MappingMode> mapping_modes() {
  return kModes;
}

Result<MappingMode> mapping_mode(int number) {
  for (const MappingMode& mode : kModes) {
    if (mode.number != number) continue;
    const bool has_meaning = mode.table_of_node || !(mode.generation_of_node || mode.limit_of_node);
    if (has_meaning) return mode;
    return Error{"usage", meaningless(mode),
                 "with a table for each core, each core generates and has a limit of its own: take mode 1"};
  }
  return Error{"usage", "there is no mapping mode " + std::to_string(number), "give 1, 5, 6, 7 or 8"};
}

Section generated_by(const MappingMode& mode, const mpi::Communicator& world, const mpi::Communicator& node,
                     Section own) {
  if (!mode.generation_of_node) return own;
  const std::uint64_t of_node = node.reduce_to_all(own.count, mpi::Reduction::kSum);
  const std::uint64_t count = node.is_root() ? of_node : 0;
  return {start_of(world, count), count};
}

std::uint64_t most_pending(const MappingMode& mode, const mpi::Communicator& world,
                           const mpi::Communicator& node, std::uint64_t of_this_rank) {
  const std::uint64_t of_holder =
      mode.limit_of_node ? node.reduce_to_all(of_this_rank, mpi::Reduction::kSum) : of_this_rank;
  return world.reduce_to_all(of_holder, mpi::Reduction::kMax);
}

}  // namespace groma::randomaccess
