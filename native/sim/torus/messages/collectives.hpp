// Collective operations as messages between ranks: trees and rings as MPI libraries use them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/torus/messages/program.hpp"

namespace groma::sim::torus {

/// Appends the part of one rank in a collective of all `ranks`. Bytes are those of a rank's buffer; for
/// alltoall, allgather, gather and scatter those for or of each other rank. Tags below 0 keep the messages
/// apart from those of the program.
class Collectives {
 public:
  Collectives(Rank rank, Rank ranks) : rank_(rank), ranks_(ranks) {}

  void barrier(Program& program) const;  ///< dissemination: after k rounds a rank has heard of 2^k
  void bcast(Program& program, Rank root, std::uint64_t bytes) const;                  ///< binomial tree
  void reduce(Program& program, Rank root, std::uint64_t bytes, double cycles) const;  ///< the same, upwards
  void allreduce(Program& program, std::uint64_t bytes, double cycles) const;          ///< reduce, then bcast
  void gather(Program& program, Rank root, std::uint64_t bytes) const;
  void scatter(Program& program, Rank root, std::uint64_t bytes) const;
  void allgather(Program& program, std::uint64_t bytes) const;  ///< around a ring
  /// To all others at once, from the next rank on.
  void alltoall(Program& program, std::uint64_t bytes) const;
  void alltoallv(Program& program, const std::vector<std::uint64_t>& bytes) const;

 private:
  [[nodiscard]] Rank absolute(Rank relative, Rank root) const { return (relative + root) % ranks_; }
  [[nodiscard]] Rank relative(Rank root) const { return (rank_ + ranks_ - root) % ranks_; }
  /// Distance to the parent in a binomial tree; for the root, the least power of two from the number of ranks
  /// on.
  [[nodiscard]] Rank lowest_bit(Rank relative) const;

  Rank rank_;
  Rank ranks_;
};

}  // namespace groma::sim::torus
