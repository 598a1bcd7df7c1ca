// Checks that no message arrived corrupted.
#pragma once

#include <cstdint>

#include "mpi/communicator.hpp"

namespace groma::survey::network {

/// Collective. Error "validation" on all ranks if any rank received wrong messages.
Status validated(const mpi::Communicator& world, std::uint64_t wrong);

}  // namespace groma::survey::network
