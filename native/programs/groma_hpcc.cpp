// groma-hpcc: the HPC Challenge suite under any MPI.
//   mpirun -n 4 groma-hpcc [run] [options]     groma-hpcc plan | list | build | help
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/build_info.hpp"
#include "base/standard_output.hpp"
#include "hpcc/blas.hpp"
#include "hpcc/command.hpp"

namespace {

using namespace groma;
using namespace groma::hpcc;

Json benchmark_json(const BenchmarkInfo& info) {
  return JsonObject()
      .add("name", info.name)
      .add("title", info.title)
      .add("measures", info.measures)
      .add("formula", info.formula)
      .add("validation", info.validation)
      .add("reference", info.reference)
      .add("order", info.order)
      .json();
}

int list() {
  for (const Benchmark* one : Benchmarks::all()) {
    std::cout << benchmark_json(one->info).text() << '\n';
  }
  return kOk;
}

int build() {
  std::cout << JsonObject()
                   .add("build", build_info())
                   .add("mpi", mpi::library())
                   .add("blas", blas_library())
                   .json()
                   .text()
            << '\n';
  return kOk;
}

int help() {
  std::cout << "usage: mpirun -n RANKS groma-hpcc [run] [options]\n"
               "       groma-hpcc plan | list | build | help\n\n"
            << options_help();
  return kOk;
}

int without_mpi(const Options& options) {
  if (options.verb == "list") return list();
  if (options.verb == "plan") return plan_command(options, std::cout, std::cerr);
  if (options.verb == "build") return build();
  return help();
}

int fail(const std::exception& problem, const std::string& whose = "") {
  std::cerr << job::error_text(kProgram, {"exception", whose + problem.what(), "choose a smaller problem"});
  return kEnvironment;
}

/// A rank that fails alone (lack of memory, first of all) ends the job: the others wait for it in vain.
int run_under_mpi(const Result<Options>& options, int argc, char** argv) {
  std::atomic<bool> cancelled = false;
  std::signal(SIGPIPE, SIG_IGN);  // a reader of events that is gone must not cost the results
  // The thread that waits for signals calls no MPI, so that one thread a rank still needs no locks.
  const bool alone = options && options.value().threads == 1;
  const mpi::Session session(argc, argv, alone ? mpi::ThreadUse::kOne : mpi::ThreadUse::kSeveral);
  const mpi::Communicator world = mpi::Communicator::world();
  const job::Process process{.out = std::cout,
                             .errors = std::cerr,
                             .progress = isatty(STDERR_FILENO) != 0,
                             .cancelled = cancelled,
                             .give_up = [] { _exit(kInterrupted); }};
  try {
    return run_command(world, options, process);
  } catch (const std::exception& problem) {
    MPI_Abort(world.handle(), fail(problem, "rank " + std::to_string(world.rank()) + ": "));
    return kEnvironment;
  }
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    const Result<Options> options = parse_options({argv + 1, argv + argc});
    const bool alone = options && options.value().verb != "run";
    const int code = alone ? without_mpi(options.value()) : run_under_mpi(options, argc, argv);
    return delivered(code, "groma-hpcc");
  } catch (const std::exception& problem) {
    return fail(problem);
  }
}
