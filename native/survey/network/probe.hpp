// What a network probe is: one source file with its ProbeInfo, a run function and a Registration. It measures
// messages between the ranks of a job; where the ranks lie is the launch's business and is told with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/probe_info.hpp"
#include "base/probe_registry.hpp"
#include "base/result.hpp"
#include "base/samples.hpp"
#include "mpi/communicator.hpp"
#include "mpi/nodes.hpp"

namespace groma::survey::network {

/// What a probe works with, the same on all ranks. Only the root's sink keeps anything.
struct Context {
  const mpi::Communicator& world;
  const mpi::Nodes& nodes;
  const Parameters& parameters;
  const Clock& clock;
  Seconds started;  ///< when the probe was, on this rank
  Bytes memory;     ///< that each rank may take
  SampleSink& sink;
};

/// What a probe tells beside its samples. Valid on the root.
struct Outcome {
  JsonObject facts = {};
  std::vector<Error> warnings = {};
};

/// Collective. An error is the same on every rank: "usage", "memory", "environment", or "validation" where a
/// message arrived otherwise than it was sent.
using Run = Result<Outcome> (*)(const Context&);

using Probes = ProbeRegistry<Run>;
using Probe = Probes::Probe;
using Registration = Probes::Registration;

}  // namespace groma::survey::network
