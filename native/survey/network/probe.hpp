// What a network probe is: one source file with its ProbeInfo, a run function and a Registration. It measures
// messages between the ranks of a job. The launcher places the ranks, and the placement is recorded.
#pragma once

#include "base/clock.hpp"
#include "base/probe_info.hpp"
#include "base/probe_registry.hpp"
#include "base/result.hpp"
#include "base/samples.hpp"
#include "job/outcome.hpp"
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
  Bytes memory;     ///< that each rank may use
  SampleSink& sink;
};

using job::Outcome;

/// Collective. An error is the same on every rank: "usage", "memory", "environment", or "validation" if a
/// message arrived corrupted.
using Measure = Result<Outcome> (*)(const Context&);

/// Checks that a probe supports its parameters on `ranks` ranks, before any probe runs. Errors (usage).
using ParameterCheck = Status (*)(const Parameters& parameters, int ranks);

struct Run {
  Run(Measure measures, ParameterCheck checks = nullptr)  // NOLINT(google-explicit-constructor)
      : measure(measures), check_parameters(checks) {}

  Result<Outcome> operator()(const Context& context) const {
    const Status status = check(context.parameters, context.world.size());
    return status ? measure(context) : status.error();
  }
  [[nodiscard]] Status check(const Parameters& parameters, int ranks) const {
    return check_parameters == nullptr ? Status(Done{}) : check_parameters(parameters, ranks);
  }

  Measure measure;
  ParameterCheck check_parameters;  ///< null where all parameters that parse are supported
};

using Probes = ProbeRegistry<Run>;
using Probe = Probes::Probe;
using Registration = Probes::Registration;

}  // namespace groma::survey::network
