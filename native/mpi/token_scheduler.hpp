// Runs groups of ranks strictly one after the other, so that no group disturbs another: the leader of a group
// passes a token to the members of the next one. Ranks without the token sleep.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"

namespace groma::mpi {

/// Each rank once; the first one leads.
using RankGroup = std::vector<int>;

class TokenScheduler {
 public:
  /// Collective.
  explicit TokenScheduler(const Communicator& all) : channel_(all.duplicate()) {}

  /// Collective, with the same groups on every rank. `work` runs on the members of each group.
  void run(std::span<const RankGroup> groups, const std::function<void(std::size_t group)>& work) const;

  /// A barrier of the members of the group that has the token.
  void synchronize(const RankGroup& group) const;

 private:
  void await_token(const RankGroup& previous) const;
  void finish(const RankGroup& group) const;
  void pass_token(const RankGroup& next) const;
  void gather_at_leader(const RankGroup& group, int tag) const;
  void signal_members(const RankGroup& group, int tag) const;

  Communicator channel_;
};

}  // namespace groma::mpi
