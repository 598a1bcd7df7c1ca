// groma-replay from its options to its exit code.
#pragma once

#include "job/process.hpp"
#include "replay/options.hpp"

namespace groma::replay {

/// Collective. The root writes events to standard output, first of all where every rank runs. Returns the
/// same exit code on every rank.
int run_command(const mpi::Communicator& world, const Result<Options>& options, const job::Process& process);

}  // namespace groma::replay
