#include "randomaccess/placement.hpp"

namespace groma::randomaccess {

std::vector<int> even_nodes(int ranks, int per_node) {
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / per_node * per_node);
  return nodes;
}

std::vector<int> nodes_of(const mpi::Communicator& world, const mpi::Communicator& node) {
  return world.gather_to_all(node.broadcast_value(world.rank()));
}

}  // namespace groma::randomaccess
