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
  Bytes memory;     ///< that each rank may take
  SampleSink& sink;
};

using job::Outcome;

/// Collective. An error is the same on every rank: "usage", "memory", "environment", or "validation" where a
/// message arrived otherwise than it was sent.
using Measure = Result<Outcome> (*)(const Context&);

/// Whether a probe can do what is asked of it on so many ranks; asked before any probe runs. Errors (usage).
using Admission = Status (*)(const Parameters& parameters, int ranks);

struct Run {
  Run(Measure measures, Admission admission = nullptr)  // NOLINT(google-explicit-constructor)
      : measure(measures), admits(admission) {}
  Result<Outcome> operator()(const Context& context) const {
    const Status status = admitted(context.parameters, context.world.size());
    return status ? measure(context) : status.error();
  }
  [[nodiscard]] Status admitted(const Parameters& parameters, int ranks) const {
    return admits == nullptr ? Status(Done{}) : admits(parameters, ranks);
  }

  Measure measure;
  Admission admits;  ///< null where all parameters that could be parsed will do
};

using Probes = ProbeRegistry<Run>;
using Probe = Probes::Probe;
using Registration = Probes::Registration;

}  // namespace groma::survey::network
