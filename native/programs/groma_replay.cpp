// groma-replay: repeats the messages or the memory traffic of a program under a placement of its ranks.
//   mpirun -n 4 groma-replay [run] --pattern FILE | --triad SIZE [options]     groma-replay build | help
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/build_info.hpp"
#include "base/standard_output.hpp"
#include "replay/command.hpp"

namespace {

using namespace groma;

std::atomic<bool> cancelled = false;

int build() {
  std::cout << JsonObject().add("build", build_info()).add("mpi", mpi::library()).json().text() << '\n';
  return kOk;
}

int help() {
  std::cout << "usage: mpirun -n RANKS groma-replay [run] --pattern FILE | --triad SIZE [options]\n"
               "       groma-replay build | help\n\n"
            << replay::options_help();
  return kOk;
}

int report(const std::exception& problem, const std::string& whose = "") {
  std::cerr << job::error_text(replay::kProgram,
                               {"exception", whose + problem.what(), "replay less of the traffic"});
  return kEnvironment;
}

/// A rank that fails alone ends the job: the others wait for it in vain.
int run_under_mpi(const Result<replay::Options>& options, int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader of events that is gone must not cost the results
  const mpi::Session session(argc, argv, mpi::ThreadUse::kOne);
  const mpi::Communicator world = mpi::Communicator::world();
  try {
    return replay::run_command(world, options,
                               {.out = std::cout, .errors = std::cerr, .cancelled = cancelled, .give_up = [] {
                                  _exit(kInterrupted);
                                }});
  } catch (const std::exception& problem) {
    MPI_Abort(world.handle(), report(problem, "rank " + std::to_string(world.rank()) + ": "));
    return kEnvironment;
  }
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    const Result<replay::Options> options = replay::parse_options({argv + 1, argv + argc});
    if (options && options.value().verb == "build") return delivered(build(), replay::kProgram);
    if (options && options.value().verb == "help") return delivered(help(), replay::kProgram);
    return delivered(run_under_mpi(options, argc, argv), replay::kProgram);
  } catch (const std::exception& problem) {
    return report(problem);
  }
}
