// Collective operations as messages between ranks: trees and rings as MPI libraries use them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/torus/messages/program.hpp"

namespace groma::sim::torus {

/// Ranks of a communicator, in their order there. Without members, all ranks of the program.
struct Group {
  Rank size = 0;
  std::vector<Rank> members;

  [[nodiscard]] Rank world(Rank rank) const { return members.empty() ? rank : members[rank]; }
};

/// Appends the part of one rank in a collective of a group, in which ranks and roots are counted. Bytes are
/// those of a rank's buffer; for alltoall, allgather, gather and scatter those for or of each other rank.
/// Tags below 0 keep the messages apart from those of the program; `apart` those of a collective beside which
/// others of the same ranks may be under way.
class Collectives {
 public:
  Collectives(Rank rank, const Group& group, std::int32_t apart = 0)
      : rank_(rank), ranks_(group.size), group_(&group), apart_(apart) {}

  using Sizes = std::vector<std::uint64_t>;  ///< of each rank of the group

  void barrier(Program& program) const;  ///< dissemination: after k rounds a rank has heard of 2^k
  void bcast(Program& program, Rank root, std::uint64_t bytes) const;                  ///< binomial tree
  void reduce(Program& program, Rank root, std::uint64_t bytes, double cycles) const;  ///< the same, upwards
  void allreduce(Program& program, std::uint64_t bytes, double cycles) const;          ///< reduce, then bcast
  /// Ranks add what those before them have, in rounds of twice the distance; an exclusive one does the same.
  void scan(Program& program, std::uint64_t bytes, double cycles) const;
  void gather(Program& program, Rank root, std::uint64_t bytes) const;
  void scatterv(Program& program, Rank root, const Sizes& bytes) const;
  void allgatherv(Program& program, const Sizes& bytes) const;  ///< around a ring
  /// To all others at once, from the next rank on.
  void alltoallv(Program& program, const Sizes& bytes) const;
  /// All parts to their owners at once, which add them.
  void reduce_scatter(Program& program, const Sizes& bytes, double cycles) const;

 private:
  [[nodiscard]] Rank absolute(Rank relative, Rank root) const { return (relative + root) % ranks_; }
  [[nodiscard]] Rank relative(Rank root) const { return (rank_ + ranks_ - root) % ranks_; }
  /// Distance to the parent in a binomial tree; for the root, the least power of two from the number of ranks
  /// on.
  [[nodiscard]] Rank lowest_bit(Rank relative) const;
  RequestId send(Program& program, Rank to, std::uint64_t bytes, std::int32_t tag) const {
    return program.send(group_->world(to), bytes, tag - apart_);
  }
  RequestId receive(Program& program, Rank from, std::int32_t tag) const {
    return program.receive(group_->world(from), tag - apart_);
  }

  Rank rank_;
  Rank ranks_;
  const Group* group_;
  std::int32_t apart_;
};

}  // namespace groma::sim::torus
