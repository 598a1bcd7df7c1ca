// Where the ranks run: gathered after every start, never assumed.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "mpi/communicator.hpp"

namespace groma::mpi {

/// Host name and boot id of this machine, as one word.
std::string machine_name();

/// Host name, boot id, allowed CPUs and process id of every rank, on the root; empty elsewhere. Two ranks
/// share a machine when their boot ids are equal: host names are no proof.
std::vector<Json> gather_placement(const Communicator& all);

}  // namespace groma::mpi
