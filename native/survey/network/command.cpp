#include "survey/network/command.hpp"

#include <algorithm>

#include "base/exit_code.hpp"
#include "base/pages.hpp"
#include "job/events.hpp"
#include "job/process.hpp"

namespace groma::survey::network {
namespace {

bool is_assignment(const std::string& word) {
  return word.find('=') != std::string::npos;
}

Result<Call> parse_call(const std::string& name, const std::vector<std::string>& assignments) {
  const Probe* probe = Probes::find(name);
  if (probe == nullptr) {
    return Error{"usage", "no network probe is called '" + name + "'", "groma-network list names them"};
  }
  const auto parameters = Parameters::parse(probe->info, assignments);
  if (!parameters) return parameters.error();
  return Call{probe, parameters.value()};
}

Json plan_of(const std::vector<Call>& calls) {
  std::vector<std::string_view> tests;
  for (const Call& call : calls) tests.push_back(call.probe->info.name);
  return JsonObject().add("tests", tests).json();
}

/// Half of what its machine has left, in equal shares: the other half is for MPI and everything else.
Bytes share_of_memory(const mpi::Communicator& world, const mpi::Nodes& nodes) {
  const std::uint64_t own = available_memory().value() / (2 * nodes.around(world.rank()).size());
  return Bytes(world.reduce_to_all(own, mpi::Reduction::kMin));
}

Status check_calls(const std::vector<Call>& calls, int ranks) {
  for (const Call& call : calls) {
    if (const Status status = call.probe->run.check(call.parameters, ranks); !status) return status;
  }
  return Done{};
}

/// Collective. The first error ends it.
Status run_all(const mpi::Communicator& world, const std::vector<Call>& calls, std::ostream& out) {
  if (const Status status = check_calls(calls, world.size()); !status) return status;
  const Json run = job::run_event(world, plan_of(calls)).json();
  if (world.is_root()) out << run.text() << '\n' << std::flush;
  const mpi::Nodes nodes = mpi::nodes_of(world);
  const SystemClock clock;
  for (const Call& call : calls) {
    JsonLineSink sink(out, begin_header(call.probe->info, call.parameters));
    const Context context{.world = world,
                          .nodes = nodes,
                          .parameters = call.parameters,
                          .clock = clock,
                          .started = clock.now(),
                          .memory = share_of_memory(world, nodes),
                          .sink = sink};
    const Result<Outcome> outcome = call.probe->run(context);
    if (!outcome) return outcome.error();
    const Json line = job::outcome_event(call.probe->info.name, outcome.value()).json();
    if (world.is_root()) out << line.text() << '\n' << std::flush;
  }
  return Done{};
}

}  // namespace

Result<std::vector<Call>> parse_calls(const std::vector<std::string>& words) {
  if (words.empty()) return Error{"usage", "no network probe is named", "groma-network list names them"};
  std::vector<Call> calls;
  for (auto name = words.begin(); name != words.end();) {
    const auto next = std::find_if_not(name + 1, words.end(), is_assignment);
    const auto call = parse_call(*name, {name + 1, next});
    if (!call) return call.error();
    calls.push_back(call.value());
    name = next;
  }
  return calls;
}

int run_calls(const mpi::Communicator& world, const Result<std::vector<Call>>& calls, std::ostream& out) {
  job::NullBuffer null_buffer;
  std::ostream none(&null_buffer);
  std::ostream& own = world.is_root() ? out : none;
  const Status status = calls ? run_all(world, calls.value(), own) : Status(calls.error());
  if (status) return kOk;
  own << failure_line(status.error()).text() << '\n' << std::flush;
  return code_of(status.error());
}

}  // namespace groma::survey::network
