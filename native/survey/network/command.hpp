// What groma-network does under MPI: it runs probes one after the other, each with its parameters.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "survey/network/probe.hpp"

namespace groma::survey::network {

/// A probe with its parameters, as the command line asked for it.
struct Call {
  const Probe* probe;
  Parameters parameters;
};

/// From "PROBE key=value… PROBE key=value…". Errors (usage): no probe, an unknown one, what
/// Parameters::parse refuses.
Result<std::vector<Call>> parse_calls(const std::vector<std::string>& words);

/// Collective. Events go to the root's `out`: "run" with the placement of all ranks, then those of each
/// probe. Ends at the first error and reports it. Returns the exit code.
int run_calls(const mpi::Communicator& world, const Result<std::vector<Call>>& calls, std::ostream& out);

}  // namespace groma::survey::network
