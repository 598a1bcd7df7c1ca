// Brings blocks of different length, one from each rank, together on all of them: the communication of the
// row exchange, in its two forms.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"

namespace groma::hpcc::hpl {

/// Where each rank's block lies in the memory that gathers them.
struct BlockPlaces {
  std::vector<std::size_t> begin;
  std::vector<std::size_t> length;

  /// Ranks beyond the largest power of two lie behind the rank that stands in for them, so that what a
  /// hypercube exchanges in a step is one stretch.
  static BlockPlaces folded(const std::vector<std::size_t>& lengths);
  /// Blocks of about equal length in memory of `words` words, in the order of ranks.
  static BlockPlaces even(std::size_t words, int ranks);
  [[nodiscard]] std::span<double> of(std::span<double> all, int rank) const {
    return all.subspan(begin[static_cast<std::size_t>(rank)], length[static_cast<std::size_t>(rank)]);
  }
};

/// Collective. Each rank's own block is in place; afterwards all are. Exchange with partners at distances 1,
/// 2, 4 ...: few messages, for few columns.
void gather_by_exchange(const mpi::Communicator& ranks, const BlockPlaces& places, std::span<double> all);

/// Collective. The same by passing blocks around a ring: each goes over each link once, for many columns.
void gather_by_rolling(const mpi::Communicator& ranks, const BlockPlaces& places, std::span<double> all);

/// Collective. Each rank's own block of `from` is in place; afterwards that of `to` is. Both divide the same
/// memory.
void redistribute(const mpi::Communicator& ranks, const BlockPlaces& from, const BlockPlaces& to,
                  std::span<double> all);

}  // namespace groma::hpcc::hpl
