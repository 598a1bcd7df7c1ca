// What a probe is. A probe is one source file that defines its ProbeInfo and its run function and registers
// itself with a static Registration; no list is edited anywhere.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/probe_info.hpp"
#include "base/probe_registry.hpp"
#include "base/result.hpp"
#include "base/sampling.hpp"
#include "base/topology.hpp"

namespace groma::survey {

class PlaceMemory;

/// What a probe works with; all of it can be faked.
struct Context {
  const Parameters& parameters;
  const Topology& topology;
  const Clock& clock;
  const std::atomic<bool>& cancelled;
  Bytes memory;     ///< what may be allocated in total
  Seconds started;  ///< when the probe began by `clock`: setting up counts against its budget
  SampleSink& sink;
  PlaceMemory* place_memory = nullptr;  ///< of the NUMA experiments; that of this machine if there is none

  /// sample_interleaved with this context and what is left of the rule's budget, a third of it at least:
  /// setting up takes long on a busy machine, and some figures are worth that.
  EndReason sample(const std::vector<Case>& cases, std::span<const Task> tasks, SamplingRule rule) const {
    rule.budget = std::max(rule.budget - (clock.now() - started), rule.budget / 3.0);
    return sample_interleaved(cases, tasks, rule, clock, cancelled, sink);
  }
};

using Run = Status (*)(const Context&);

using Probes = ProbeRegistry<Run>;
using Probe = Probes::Probe;
using Registration = Probes::Registration;

}  // namespace groma::survey
