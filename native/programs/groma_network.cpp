// groma-network: probes of the messages between ranks, under any MPI (protocol: docs/measuring.md).
//   mpirun -n RANKS groma-network run PROBE [key=value…] [PROBE [key=value…]…]     groma-network list | build
#include <csignal>
#include <exception>
#include <iostream>

#include "base/build_info.hpp"
#include "base/exit_code.hpp"
#include "base/standard_output.hpp"
#include "survey/network/command.hpp"

namespace {

using namespace groma;
using namespace groma::survey::network;

int list() {
  for (const Probe* probe : Probes::all()) std::cout << to_json(probe->info).text() << '\n';
  return kOk;
}

int build() {
  std::cout << JsonObject().add("build", build_info()).add("mpi", mpi::library()).json().text() << '\n';
  return kOk;
}

int usage() {
  std::cerr << "usage: mpirun -n RANKS groma-network run PROBE [key=value…] [PROBE [key=value…]…]\n"
               "       groma-network list | build\n";
  return kUsage;
}

int report(const std::exception& problem) {
  const Error error{"environment", problem.what(), "groma doctor shows the memory limits"};
  std::cout << failure_line(error).text() << '\n' << std::flush;
  return kEnvironment;
}

/// A rank that fails alone ends the job: the others wait for it in vain.
int run_under_mpi(const Result<std::vector<Call>>& calls, int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const mpi::Session session(argc, argv, mpi::ThreadUse::kOne);
  const mpi::Communicator world = mpi::Communicator::world();
  try {
    return run_calls(world, calls, std::cout);
  } catch (const std::exception& problem) {
    MPI_Abort(world.handle(), report(problem));
    return kEnvironment;
  }
}

int dispatch(const std::vector<std::string>& words, int argc, char** argv) {
  const std::string verb = words.empty() ? "" : words.front();
  if (verb == "list") return list();
  if (verb == "build") return build();
  if (verb == "run") return run_under_mpi(parse_calls({words.begin() + 1, words.end()}), argc, argv);
  return usage();
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    return delivered(dispatch({argv + 1, argv + argc}, argc, argv), "groma-network");
  } catch (const std::exception& problem) {
    return report(problem);
  }
}
