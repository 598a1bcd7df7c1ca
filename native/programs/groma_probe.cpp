// groma-probe: runs one node probe and writes its samples as JSON lines (protocol: docs/measuring.md).
//   groma-probe list | topology | build | run NAME [key=value …]
#include <sys/prctl.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/affinity.hpp"
#include "base/build_info.hpp"
#include "base/ending_signals.hpp"
#include "base/exit_code.hpp"
#include "base/pages.hpp"
#include "base/standard_output.hpp"
#include "survey/probe.hpp"

namespace {

using namespace groma;

std::atomic<bool> cancelled = false;
static_assert(std::atomic<bool>::is_always_lock_free, "the signal handler stores to it");

void on_signal(int /*signal*/) {
  cancelled = true;
}

/// A probe must not load the machine any longer when the process that started it is gone.
void die_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

int fail(const Error& error, int code) {
  std::cout << failure_line(error).text() << '\n';
  return code;
}

int list() {
  for (const survey::Probe* probe : survey::Probes::all()) {
    std::cout << to_json(probe->info).text() << '\n';
  }
  return kOk;
}

int run_probe(const survey::Probe& probe, const Parameters& parameters) {
  const Result<Topology> topology = topology_to_measure();
  if (!topology) return fail(topology.error(), kEnvironment);
  const SystemClock clock;
  JsonLineSink sink(std::cout, begin_header(probe.info, parameters));
  const survey::Context context{.parameters = parameters,
                                .topology = topology.value(),
                                .clock = clock,
                                .cancelled = cancelled,
                                .memory = available_memory(),
                                .started = clock.now(),
                                .sink = sink};
  const Status status = probe.run(context);
  if (!status) return fail(status.error(), code_of(status.error()));
  return cancelled ? kInterrupted : kOk;
}

int run(const std::vector<std::string>& arguments) {
  const survey::Probe* probe = arguments.empty() ? nullptr : survey::Probes::find(arguments.front());
  if (probe == nullptr) {
    const std::string name = arguments.empty() ? "" : arguments.front();
    return fail({"usage", "no probe is called '" + name + "'", "groma-probe list names them"}, kUsage);
  }
  const auto parameters = Parameters::parse(probe->info, {arguments.begin() + 1, arguments.end()});
  if (!parameters) return fail(parameters.error(), kUsage);
  handle_ending_signals(on_signal);
  std::signal(SIGXCPU, SIG_DFL);  // a limit of this process, not of the survey: its end by it says so
  die_with_parent();
  return run_probe(*probe, parameters.value());
}

int topology() {
  const Result<Topology> declared = declared_topology();
  if (!declared) return fail(declared.error(), kEnvironment);
  std::cout << to_json(declared.value()).text() << '\n';
  return kOk;
}

int usage() {
  std::cerr << "usage: groma-probe list | topology | build | run NAME [key=value …]\n";
  return kUsage;
}

int dispatch(const std::vector<std::string>& arguments) {
  const std::string verb = arguments.empty() ? "" : arguments.front();
  if (verb == "list") return list();
  if (verb == "run") return run({arguments.begin() + 1, arguments.end()});
  if (verb == "topology") return topology();
  if (verb == "build") {
    std::cout << build_info().text() << '\n';
    return kOk;
  }
  return usage();
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    return delivered(dispatch({argv + 1, argv + argc}), "groma-probe");
  } catch (const std::exception& problem) {  // lack of memory, first of all
    return fail({"probe.exception", problem.what(), "groma doctor shows the memory limits"}, kEnvironment);
  }
}
