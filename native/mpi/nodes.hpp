// Which ranks share a machine, by host name and boot id.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace groma::mpi {

/// Machines are numbered in the order of their first ranks.
struct Nodes {
  std::vector<int> of_rank;
  std::vector<int> place;  ///< of a rank among the ranks of its machine
  std::vector<std::vector<int>> ranks;

  [[nodiscard]] std::size_t count() const { return ranks.size(); }
  [[nodiscard]] const std::vector<int>& around(int rank) const {
    return ranks[static_cast<std::size_t>(of_rank[static_cast<std::size_t>(rank)])];
  }
};

/// From the name of the machine of each rank.
Nodes nodes_by_name(std::span<const std::string> machines);

/// Collective; the same on every rank. Ranks share a machine when host name and boot id are equal.
Nodes nodes_of(const Communicator& all);

}  // namespace groma::mpi
