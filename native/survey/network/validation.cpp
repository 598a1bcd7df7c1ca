#include "survey/network/validation.hpp"

#include <string>

namespace groma::survey::network {

Status validated(const mpi::Communicator& world, std::uint64_t wrong) {
  const auto all = world.reduce_to_all(wrong, mpi::Reduction::kSum);
  if (all == 0) return Done{};
  return Error{"validation", std::to_string(all) + " messages arrived corrupted",
               "check the network and its adapters: no figure of this run can be trusted"};
}

}  // namespace groma::survey::network
