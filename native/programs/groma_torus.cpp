// groma-torus: simulates a torus or mesh network packet by packet.
//   groma-torus [run] <request     groma-torus build | help
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "base/build_info.hpp"
#include "base/ending_signals.hpp"
#include "base/exit_code.hpp"
#include "base/standard_input.hpp"
#include "base/standard_output.hpp"
#include "sim/torus/request.hpp"
#include "sim/traced/run_trace.hpp"

namespace {

using namespace groma;
using sim::traced::RunTrace;
using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int /*signal*/) {
  interrupted = 1;
}

int refuse(const Error& error) {
  std::cerr << "groma-torus: " << error.what << "\n  " << error.next << '\n';
  return code_of(error);
}

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Reports the progress twice a second; true when the run must end.
class ProgressReporter {
 public:
  ProgressReporter(Clock::time_point start, double limit) : start_(start), limit_(limit) {}

  bool operator()(const sim::torus::Progress& progress) {
    const double wall = since(start_);
    if (wall - last_report_ >= 0.5) {
      last_report_ = wall;
      std::cout << JsonObject()
                       .add("event", "progress")
                       .add("time", progress.time)
                       .add("wall", wall)
                       .add("packets", progress.tally.received)
                       .add("work", progress.tally.work)
                       .json()
                       .text()
                << '\n'
                << std::flush;
    }
    return interrupted != 0 || (limit_ > 0.0 && wall >= limit_);
  }

 private:
  Clock::time_point start_;
  double limit_;
  double last_report_ = 0.0;
};

/// None where no trace is wanted.
Result<std::unique_ptr<RunTrace>> trace_of(const sim::torus::Request& asked) {
  if (asked.trace.path.empty()) return std::unique_ptr<RunTrace>();
  std::vector<std::uint32_t> extents;
  for (std::size_t d = 0; d < asked.shape.dimensions(); ++d) extents.push_back(asked.shape.extent(d));
  auto trace = RunTrace::create(
      {asked.trace.path, asked.trace.nanoseconds_per_cycle, asked.workload->places(), std::move(extents)});
  if (trace) asked.workload->observe(*trace.value());
  return trace;
}

/// Reports what became of the trace of a run. The result of the run is reported in any case.
void report_trace(RunTrace& trace, sim::torus::Cycles end) {
  JsonObject event;
  event.add("event", "trace");
  if (const auto counts = trace.write(end); counts) {
    event.add("states", counts.value().states)
        .add("messages", counts.value().messages)
        .add("bytes", counts.value().bytes);
  } else {
    event.add("failed", counts.error().what);
  }
  std::cout << event.json().text() << '\n';
}

int run() {
  const auto text = all_input();
  if (!text) return refuse(text.error());
  const auto request = sim::torus::read_request(text.value());
  if (!request) return refuse(request.error());
  const sim::torus::Request& asked = request.value();
  const auto start = Clock::now();
  sim::torus::RunOptions options;
  options.threads = asked.threads;
  options.enough_work = asked.workload->enough_work();
  options.work_per_sample = options.enough_work / 200;
  options.stop = ProgressReporter(start, asked.time_limit);
  const auto trace = trace_of(asked);
  if (!trace) return refuse(trace.error());
  handle_ending_signals(interrupt);
  const auto outcome = sim::torus::simulate(asked.shape, asked.network, *asked.workload, options);
  if (!outcome) return refuse(outcome.error());
  if (trace.value()) report_trace(*trace.value(), outcome.value().end.time);
  std::cout << result_of(asked, outcome.value(), since(start)).text() << '\n';
  return interrupted != 0 ? kInterrupted : kOk;
}

int help() {
  std::cout << "usage: groma-torus [run] <request\n"
               "       groma-torus build | help\n\n"
               "A request is a JSON table: shape, torus, network, processor, workload, run. The result is a "
               "line of\n"
               "JSON; lines of progress come before it. `groma sim torus run` writes requests.\n";
  return kOk;
}

int dispatch(const std::string& verb) {
  if (verb == "run") return run();
  if (verb == "help" || verb == "--help") return help();
  if (verb != "build") return refuse({"usage", "unknown word " + verb, "groma-torus help lists them"});
  std::cout << build_info().text() << '\n';
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    return delivered(dispatch(argc > 1 ? argv[1] : "run"), "groma-torus");
  } catch (const std::exception& problem) {
    return refuse({"memory", problem.what(), "simulate a smaller shape"});
  }
}
