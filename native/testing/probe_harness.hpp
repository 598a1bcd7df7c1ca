// Runs a whole probe in a test: on this machine, on a part of it, or on one that is made up.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "survey/probe.hpp"
#include "testing/collecting_sink.hpp"

namespace groma::survey {

struct TestMachine {
  Topology topology = this_topology();
  Bytes memory = 512_MiB;
  bool cancelled = false;
};

struct ProbeRun {
  Status status = Done{};
  CollectingSink sink;

  [[nodiscard]] std::string error_code() const { return status ? "" : status.error().code; }
  [[nodiscard]] std::size_t cases_with(std::string_view label) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        sink.labels, [&](const std::string& one) { return one.find(label) != std::string::npos; }));
  }
  [[nodiscard]] bool every_case_has_a_sample() const {
    return std::ranges::none_of(sink.values, [](const std::vector<double>& one) { return one.empty(); });
  }
  [[nodiscard]] bool every_sample_is_positive() const {
    return std::ranges::all_of(sink.values, [](const std::vector<double>& one) {
      return std::ranges::all_of(one, [](double value) { return value > 0.0; });
    });
  }
};

/// In a thread of its own, because probes pin the thread they run on.
inline ProbeRun run_probe(std::string_view name, const std::vector<std::string>& assignments,
                          const TestMachine& machine) {
  ProbeRun ran;
  std::jthread([&] {
    const Probe* const probe = Probes::find(name);
    const auto parameters = Parameters::parse(probe->info, assignments);
    const SystemClock clock;
    const std::atomic<bool> cancelled = machine.cancelled;
    ran.status = probe->run({.parameters = parameters.value(),
                             .topology = machine.topology,
                             .clock = clock,
                             .cancelled = cancelled,
                             .memory = machine.memory,
                             .started = clock.now(),
                             .sink = ran.sink});
  }).join();
  return ran;
}

/// One allowed core.
inline TestMachine one_core() {
  TestMachine machine;
  machine.topology.allowed.resize(1);
  return machine;
}

/// Logical cores, one in each NUMA node, that stand in turn for the cores of this machine.
inline TestMachine many_nodes(std::uint32_t count) {
  TestMachine machine;
  const Topology here = machine.topology;
  machine.topology.cores.clear();
  machine.topology.caches.clear();
  machine.topology.numa.clear();
  machine.topology.allowed.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const PhysicalCore physical = here.physical(here.allowed[i % here.allowed.size()]);
    machine.topology.cores.push_back({LogicalCore(i), physical, i, i, NumaNode(i)});
    machine.topology.allowed.emplace_back(i);
    TopologyNuma node;
    node.logical = NumaNode(i);
    node.cores = {LogicalCore(i)};
    machine.topology.numa.push_back(std::move(node));
    std::vector<double> distances(count, 21.0);
    distances[i] = 10.0;
    machine.topology.distances.push_back(std::move(distances));
  }
  return machine;
}

}  // namespace groma::survey
