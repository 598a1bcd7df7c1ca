#include "mpi/nodes.hpp"

#include <map>

#include "mpi/placement.hpp"

namespace groma::mpi {
namespace {

Nodes nodes_by_number(std::span<const std::int32_t> of_rank) {
  Nodes nodes;
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
    const auto node = static_cast<std::size_t>(of_rank[rank]);
    if (node >= nodes.ranks.size()) nodes.ranks.resize(node + 1);
    nodes.of_rank.push_back(of_rank[rank]);
    nodes.place.push_back(static_cast<int>(nodes.ranks[node].size()));
    nodes.ranks[node].push_back(static_cast<int>(rank));
  }
  return nodes;
}

std::vector<std::int32_t> numbered(std::span<const std::string> machines) {
  std::map<std::string, std::int32_t, std::less<>> numbers;
  std::vector<std::int32_t> of_rank;
  of_rank.reserve(machines.size());
  for (const std::string& one : machines) {
    of_rank.push_back(numbers.try_emplace(one, static_cast<std::int32_t>(numbers.size())).first->second);
  }
  return of_rank;
}

}  // namespace

Nodes nodes_by_name(std::span<const std::string> machines) {
  return nodes_by_number(numbered(machines));
}

Nodes nodes_of(const Communicator& all) {
  std::vector<std::int32_t> of_rank = numbered(all.gather_texts(machine_name()));
  of_rank.resize(static_cast<std::size_t>(all.size()));
  all.broadcast(std::span(of_rank));
  return nodes_by_number(of_rank);
}

}  // namespace groma::mpi
