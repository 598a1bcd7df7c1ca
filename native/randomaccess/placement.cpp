#include "randomaccess/placement.hpp"

namespace groma::randomaccess {

std::vector<int> even_nodes(int ranks, int per_node) {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / per_node * per_node);
  return nodes;
}

std::vector<int> spread_nodes(int ranks, int nodes) {
  std::vector<int> first_of_each;
  for (int node = 0, first = 0; node < nodes; ++node) {
    const int here = ranks / nodes + (node < ranks % nodes ? 1 : 0);
    first_of_each.insert(first_of_each.end(), static_cast<std::size_t>(here), first);
    first += here;
  }
  return first_of_each;
}

std::vector<int> nodes_of(const mpi::Communicator& world, const mpi::Communicator& node) {
  return world.gather_to_all(node.broadcast_value(world.rank()));
}

}  // namespace groma::randomaccess
