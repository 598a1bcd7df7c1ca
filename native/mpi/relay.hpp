// Turns of a few ranks each, strictly one after the other, so that no turn disturbs another: the leader of a
// turn hands a token to the members of the next. Who has no turn sleeps.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"

namespace groma::mpi {

/// The ranks that take part, each once; the first one leads.
using Turn = std::vector<int>;

class Relay {
 public:
  /// Collective.
  explicit Relay(const Communicator& all) : channel_(all.duplicate()) {}

  /// Collective, with the same turns on every rank. `take` runs on the members of each turn.
  void run(std::span<const Turn> turns, const std::function<void(std::size_t turn)>& take) const;

  /// Within a turn, by all its members: none returns before the last one came.
  void meet(const Turn& turn) const;

 private:
  void await(const Turn& before) const;
  void part(const Turn& turn) const;
  void hand_on(const Turn& next) const;
  void gather_at_leader(const Turn& turn, int tag) const;
  void tell_members(const Turn& turn, int tag) const;

  Communicator channel_;
};

}  // namespace groma::mpi
