// groma-hpcc: the HPC Challenge suite under any MPI.
//   mpirun -n 4 groma-hpcc [run] [options]     groma-hpcc plan | list | build | help
#include <atomic>
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <streambuf>

#include "base/build_info.hpp"
#include "base/pages.hpp"
#include "hpcc/blas.hpp"
#include "hpcc/hpccoutf.hpp"
#include "hpcc/suite.hpp"

namespace {

using namespace groma;
using namespace groma::hpcc;

enum ExitCode { kOk = 0, kUsage = 2, kInvalid = 3, kEnvironment = 4, kInterrupted = 130 };

std::atomic<bool> cancelled = false;
static_assert(std::atomic<bool>::is_always_lock_free, "the signal handler stores to it");

void cancel_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int /*signal*/) { cancelled = true; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

int code_of(const Error& error) {
  return error.code == "usage" || error.code == "memory" ? kUsage : kEnvironment;
}

int fail(const Error& error) {
  std::cerr << "groma-hpcc: " << error.what << "\n  " << error.next << std::endl;
  return code_of(error);
}

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
  for (const Benchmark* one : registered_benchmarks()) {
    std::cout << benchmark_json(one->info).text() << '\n';
  }
  return kOk;
}

/// What would run on `options.ranks` ranks of this machine; needs no MPI start.
int show_plan(const Options& options) {
  const Result<Plan> plan = plan_for(options, options.ranks, available_memory());
  if (!plan) return fail(plan.error());
  std::cout << to_json(plan.value()).text() << '\n';
  return kOk;
}

/// Swallows what is written; for ranks that have nothing to tell.
class Silence : public std::streambuf {
  int overflow(int character) override { return character; }
};

/// Where events go: a file, standard output, or nowhere.
class EventStream {
 public:
  explicit EventStream(const Options& options, bool speaks) : none_(&silence_) {
    if (speaks && options.events && *options.events != "-") file_.open(*options.events);
    if (speaks && options.events) out_ = *options.events == "-" ? &std::cout : &file_;
  }
  [[nodiscard]] std::ostream& out() { return *out_; }
  [[nodiscard]] bool good() const { return out_->good(); }

 private:
  Silence silence_;
  std::ostream none_;
  std::ofstream file_;
  std::ostream* out_ = &none_;
};

/// The plan of the root, or its error, on every rank: only the root reads files.
Result<Plan> common_plan(const mpi::Communicator& world, const Options& options) {
  const mpi::Communicator node = world.split_by_node();
  // Ranks of a node share what is free there; the poorest node decides for all.
  const std::uint64_t share = available_memory().value() / static_cast<std::uint64_t>(node.size());
  const std::uint64_t least = world.reduce_to_all(share, mpi::Reduction::kMin);
  const Bytes memory(least * static_cast<std::uint64_t>(world.size()));
  Result<Plan> plan = plan_for(options, world.size(), memory);
  if (const Status status = world.agree(plan ? Status(Done{}) : Status(plan.error())); !status) {
    return status.error();
  }
  return plan;
}

/// What rank 0 says for all; the others only know the code.
int fail_together(const mpi::Communicator& world, const Error& error) {
  return world.is_root() ? fail(error) : code_of(error);
}

int finish(const mpi::Communicator& world, const Options& options, const Plan& plan,
           const SuiteResult& result) {
  Status written = Done{};
  if (world.is_root()) written = write_hpccoutf(options, world.size(), plan, result);
  if (const Status status = world.agree(written); !status) {
    return fail_together(world, status.error());
  }
  if (result.interrupted) return kInterrupted;
  const bool valid = world.broadcast_value(std::int32_t{result.valid()}) != 0;
  return valid ? kOk : kInvalid;
}

int run(const mpi::Communicator& world, const Options& options) {
  cancel_on_signals();
  const Result<Plan> plan = common_plan(world, options);
  if (!plan) return fail_together(world, plan.error());
  EventStream events(options, world.is_root());
  const Status open = events.good()
                          ? Status(Done{})
                          : Status(Error{"usage", "the events cannot be written to " + *options.events,
                                         "choose another --events"});
  if (const Status status = world.agree(open); !status) return fail_together(world, status.error());
  const Result<SuiteResult> result = run_suite(world, plan.value(), cancelled, events.out());
  if (!result) return fail_together(world, result.error());
  return finish(world, options, plan.value(), result.value());
}

/// A rank that fails alone (lack of memory, first of all) ends the job: the others wait for it in vain.
int run_under_mpi(const Result<Options>& options, int argc, char** argv) {
  const bool alone = options && options.value().threads == 1;
  const mpi::Session session(argc, argv, alone ? mpi::ThreadUse::kOne : mpi::ThreadUse::kSeveral);
  const mpi::Communicator world = mpi::Communicator::world();
  try {
    return options ? run(world, options.value()) : fail_together(world, options.error());
  } catch (const std::exception& problem) {
    MPI_Abort(world.handle(), fail({"exception", problem.what(), "choose a smaller problem"}));
    return kEnvironment;
  }
}

int help() {
  std::cout << "usage: mpirun -n RANKS groma-hpcc [run] [options]\n"
               "       groma-hpcc plan | list | build | help\n\n"
            << options_help();
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

int without_mpi(const Options& options) {
  if (options.verb == "list") return list();
  if (options.verb == "plan") return show_plan(options);
  if (options.verb == "build") return build();
  return help();
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    const Result<Options> options = parse_options({argv + 1, argv + argc});
    const bool alone = options && options.value().verb != "run";
    return alone ? without_mpi(options.value()) : run_under_mpi(options, argc, argv);
  } catch (const std::exception& problem) {
    return fail({"exception", problem.what(), "choose a smaller problem"});
  }
}
