// Whether every message arrived as it was sent.
#pragma once

#include <cstdint>

#include "mpi/communicator.hpp"

namespace groma::survey::network {

/// Collective. Error "validation" on all ranks where any rank saw wrong messages.
Status validated(const mpi::Communicator& world, std::uint64_t wrong);

}  // namespace groma::survey::network
