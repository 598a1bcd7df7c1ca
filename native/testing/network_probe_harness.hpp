// Runs one network probe on the ranks of a test and collects the samples of its root.
#pragma once

#include <string>
#include <vector>

#include "base/samples.hpp"
#include "mpi/nodes.hpp"
#include "survey/network/probe.hpp"
#include "testing/collecting_sink.hpp"

namespace groma::survey::network {

/// The samples are the root's.
struct ProbeRun {
  CollectingSink sink;
  Result<Outcome> outcome;
};

/// Collective. `memory` is what each rank may take; the ranks of the test lie on `nodes`.
inline ProbeRun run_probe(std::string_view name, const std::vector<std::string>& assignments,
                          const mpi::Nodes& nodes, Bytes memory = 64_MiB) {
  const mpi::Communicator world = mpi::Communicator::world();
  const SystemClock clock;
  ProbeRun run{.sink = {}, .outcome = Error{"test", "no such probe", ""}};
  const Probe* probe = Probes::find(name);
  if (probe == nullptr) return run;
  const auto parameters = Parameters::parse(probe->info, assignments);
  if (!parameters) return {.sink = {}, .outcome = parameters.error()};
  run.outcome = probe->run({.world = world,
                            .nodes = nodes,
                            .parameters = parameters.value(),
                            .clock = clock,
                            .started = clock.now(),
                            .memory = memory,
                            .sink = run.sink});
  return run;
}

inline ProbeRun run_probe(std::string_view name, const std::vector<std::string>& assignments,
                          Bytes memory = 64_MiB) {
  return run_probe(name, assignments, mpi::nodes_of(mpi::Communicator::world()), memory);
}

}  // namespace groma::survey::network
