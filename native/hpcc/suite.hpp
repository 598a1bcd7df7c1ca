// The suite as a whole: from options to a plan, from the plan to benchmarks that run one after the other.
// They are reported as events and summed up in hpccoutf.txt.
#pragma once

#include <ctime>
#include <optional>
#include <ostream>

#include "hpcc/benchmark.hpp"
#include "hpcc/options.hpp"

namespace groma::hpcc {

/// Names of the tests to run, in their order. Errors (usage): an unknown name, nothing left.
Result<std::vector<std::string>> chosen_tests(const Options& options);

/// The result of a benchmark that ran.
struct BenchmarkResult {
  std::string name;
  Outcome outcome;
  std::vector<Figure> figures;  ///< on the root
  std::time_t ended = 0;
};
struct SuiteResult {
  std::vector<BenchmarkResult> ran;
  bool interrupted = false;
  std::optional<Error> failure;  ///< of the benchmark after the last one that ran
  /// Every check of every benchmark passed.
  [[nodiscard]] bool valid() const;
  /// The key Success: valid, and nothing is missing.
  [[nodiscard]] bool success() const { return valid() && !interrupted && !failure; }
};

/// What the summary says about a run besides its results.
struct RunFacts {
  int ranks = 1;
  Seconds clock_tick;  ///< of MPI_Wtime
  std::string host;    ///< of rank 0
  std::string version;
  std::string compiler;
  std::string mpi;
  std::string blas;
  std::time_t started = 0;  ///< calendar times
  std::time_t ended = 0;
};
RunFacts facts_of(const mpi::Communicator& world);

/// Observes the suite on the root, between benchmarks.
class SuiteObserver {
 public:
  virtual ~SuiteObserver() = default;
  virtual void begins(const Benchmark& benchmark, std::size_t index, std::size_t count) = 0;
  virtual void ended(const SuiteResult& so_far) = 0;
};

/// Collective. Events go to `events` on the root. `end` is that of the budget by the system's clock: making
/// the plan is part of it. A benchmark that fails, or a signal on any rank, ends the suite with what it has.
SuiteResult run_suite(const mpi::Communicator& world, const Plan& plan, Seconds end,
                      const std::atomic<bool>& cancelled, std::ostream& events, SuiteObserver& watcher);

}  // namespace groma::hpcc
