// The memory that a plan must fit into, and the rates: counted on every machine of the run, or on this one
// only.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hpcc/network.hpp"
#include "hpcc/rates.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc {

/// Ranks that share the free memory of one machine.
struct NodeMemory {
  int ranks = 1;
  Bytes free = {};
  [[nodiscard]] Bytes for_each() const { return free / static_cast<std::uint64_t>(ranks); }
};

struct Machine {
  int ranks = 1;
  int nodes = 1;
  NodeMemory fullest = {};      ///< the machine with the least memory for each of its ranks
  Bytes last_level_cache = {};  ///< of one node, the most there are; 0 where it is not known
  bool is_counted = true;       ///< not, where other machines are only taken to be like this one
  Rates rates = {};             ///< with messages that stay within a node, where they are not given
  std::vector<GivenRate> given_rates = {};
  std::string rates_from = "assumed";
  Network network = {};

  /// What all ranks may take together, when each takes as much: the fullest machine decides.
  [[nodiscard]] Bytes room() const { return fullest.for_each() * static_cast<std::uint64_t>(ranks); }
};

/// A rank and the machine that it finds itself on. Ranks with equal `machine` share its memory.
struct RankMemory {
  std::string machine;
  Bytes free;              ///< as this rank sees it: its control group may allow it less than others
  Bytes last_level_cache;  ///< of the machine
};

/// A pure function of the values of all ranks, of which there is at least one.
Machine machine_of(const std::vector<RankMemory>& ranks);

/// That of the ranks of `world`, the same on each. Collective.
Machine machine_under(const mpi::Communicator& world);

/// That of ranks which are not started yet, `on_each` on every machine but the last: all are taken to be like
/// this one.
Machine machine_like_this(int ranks, int on_each);

}  // namespace groma::hpcc
