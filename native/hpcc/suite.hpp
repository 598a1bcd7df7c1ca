// The suite as a whole: from options to a plan, from the plan to benchmarks run one after the other, told as
// events and summed up in hpccoutf.txt.
#pragma once

#include <ostream>

#include "hpcc/benchmark.hpp"
#include "hpcc/options.hpp"

namespace groma::hpcc {

/// Names of the tests to run, in their order. Errors (usage): an unknown name, nothing left.
Result<std::vector<std::string>> chosen_tests(const Options& options);

/// The plan that options ask for on so many ranks: of an input file, of sizes given, or of the memory there
/// is. Reads files; not collective.
Result<Plan> plan_for(const Options& options, int ranks, Bytes memory_of_all);

/// What came of each benchmark that ran.
struct Ran {
  std::string name;
  Outcome outcome;
};
struct SuiteResult {
  std::vector<Ran> ran;
  bool interrupted = false;
  [[nodiscard]] bool valid() const;  ///< every check of every benchmark passed
};

/// Collective. Events go to `events` on the root.
Result<SuiteResult> run_suite(const mpi::Communicator& world, const Plan& plan,
                              const std::atomic<bool>& cancelled, std::ostream& events);

}  // namespace groma::hpcc
