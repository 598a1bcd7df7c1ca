// groma-randomaccess: RandomAccess over a table of all ranks, by any of its algorithms, under any MPI.
//   mpirun -n 4 groma-randomaccess [run] [options]     groma-randomaccess plan | owner | errors | list |
//   build | help
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/build_info.hpp"
#include "base/standard_output.hpp"
#include "randomaccess/study/command.hpp"

namespace {

using namespace groma;
using namespace groma::randomaccess;

std::atomic<bool> cancelled = false;

int build() {
  std::cout << JsonObject().add("build", build_info()).add("mpi", mpi::library()).json().text() << '\n';
  return kOk;
}

int list() {
  list_algorithms(std::cout);
  return kOk;
}

int help() {
  std::cout << "usage: mpirun -n RANKS groma-randomaccess [run] [options]\n"
               "       groma-randomaccess plan | owner | errors | list | build | help\n\n"
            << study_options_help();
  return kOk;
}

job::Process this_process() {
  return {
      .out = std::cout, .errors = std::cerr, .cancelled = cancelled, .give_up = [] { _exit(kInterrupted); }};
}

int without_mpi(const StudyOptions& options) {
  if (options.verb == "plan") return plan_study_command(options, std::cout, std::cerr);
  if (options.verb == "owner") return run_owner_command(options, this_process());
  if (options.verb == "errors") return run_errors_command(options, this_process());
  if (options.verb == "list") return list();
  return options.verb == "build" ? build() : help();
}

int report(const std::exception& problem, const std::string& whose = "") {
  std::cerr << job::error_text(kStudyProgram,
                               {"exception", whose + problem.what(), "choose a smaller problem"});
  return kEnvironment;
}

/// A rank that fails alone ends the job: the others wait for it in vain.
int run_under_mpi(const Result<StudyOptions>& options, int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader of events that is gone must not cost the results
  const mpi::Session session(argc, argv, mpi::ThreadUse::kOne);
  const mpi::Communicator world = mpi::Communicator::world();
  try {
    return run_study_command(world, options, this_process());
  } catch (const std::exception& problem) {
    MPI_Abort(world.handle(), report(problem, "rank " + std::to_string(world.rank()) + ": "));
    return kEnvironment;
  }
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    const Result<StudyOptions> options = parse_study_options({argv + 1, argv + argc});
    const bool alone = options && options.value().verb != "run";
    const int code = alone ? without_mpi(options.value()) : run_under_mpi(options, argc, argv);
    return delivered(code, "groma-randomaccess");
  } catch (const std::exception& problem) {
    return report(problem);
  }
}
