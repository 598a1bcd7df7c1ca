// A groma-probe of a NUMA machine that is not there, for tests of the chain from the plan to the page. Costs
// are recorded, the clock is a fake one (testing/recorded_memory.hpp).
//   groma-recorded-machine list | topology | build | run NAME [key=value …]
// GROMA_RECORDED_NODES, GROMA_RECORDED_CORES and GROMA_RECORDED_SLOW_NODE change the machine.
#include <atomic>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/build_info.hpp"
#include "survey/probe.hpp"
#include "testing/recorded_memory.hpp"

namespace {

using namespace groma;

std::optional<std::uint32_t> number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(std::stoul(text)));
}

fake::BladeShape shape() {
  fake::BladeShape shape;
  shape.nodes = number("GROMA_RECORDED_NODES").value_or(shape.nodes);
  shape.cores = number("GROMA_RECORDED_CORES").value_or(shape.cores);
  return shape;
}

/// The experiments whose memory can be recorded; the others would measure the machine that runs the test.
bool is_recorded(const survey::Probe& probe) {
  return probe.info.name.starts_with("numa_");
}

int list() {
  for (const survey::Probe* probe : survey::Probes::all()) std::cout << to_json(probe->info).text() << '\n';
  return 0;
}

int fail(const Error& error) {
  std::cout << failure_line(error).text() << '\n';
  return 4;
}

int run(const survey::Probe& probe, const std::vector<std::string>& assignments) {
  const auto parameters = Parameters::parse(probe.info, assignments);
  if (!parameters) return fail(parameters.error());
  const Topology topology = fake::blades(shape());
  fake::ManualClock clock;
  fake::RecordedCosts costs;
  costs.slow_node = number("GROMA_RECORDED_SLOW_NODE");
  fake::RecordedMemory memory(topology, clock, costs);
  const std::atomic<bool> cancelled = false;
  JsonLineSink sink(std::cout, begin_header(probe.info, parameters.value()));
  const Status status = probe.run({.parameters = parameters.value(),
                                   .topology = topology,
                                   .clock = clock,
                                   .cancelled = cancelled,
                                   .memory = Bytes(1ULL << 40U),
                                   .started = clock.now(),
                                   .sink = sink,
                                   .place_memory = &memory});
  std::cerr << "recorded time: " << clock.now().value() << " s\n";
  return status ? 0 : fail(status.error());
}

int dispatch(const std::vector<std::string>& arguments) {
  const std::string verb = arguments.empty() ? "" : arguments.front();
  if (verb == "list") return list();
  if (verb == "build") std::cout << build_info().text() << '\n';
  if (verb == "topology") std::cout << to_json(fake::blades(shape())).text() << '\n';
  if (verb == "build" || verb == "topology") return 0;
  const survey::Probe* const probe = arguments.size() > 1 ? survey::Probes::find(arguments[1]) : nullptr;
  if (verb != "run" || probe == nullptr || !is_recorded(*probe)) return 2;
  return run(*probe, {arguments.begin() + 2, arguments.end()});
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    return dispatch({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    return fail({"probe.exception", problem.what(), "correct the variables GROMA_RECORDED_…"});
  }
}
