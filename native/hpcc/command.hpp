// A run from its options to its exit code: plan, suite, hpccoutf.txt, table.
#pragma once

#include <atomic>
#include <functional>
#include <ostream>

#include "hpcc/suite.hpp"

namespace groma::hpcc {

enum ExitCode { kOk = 0, kUsage = 2, kInvalid = 3, kEnvironment = 4, kInterrupted = 130 };
int code_of(const Error& error);
/// Interrupted goes before failed, failed before invalid.
int code_of(const SuiteResult& result);

/// "groma-hpcc: WHAT" and in a second line, indented, what to do.
std::string told(const Error& error);

/// What a run is given by the process that it runs in.
struct Surroundings {
  std::ostream& out;      ///< the table, or events where they are asked for there
  std::ostream& errors;   ///< one line for an expected failure
  bool progress = false;  ///< a line on `errors` before each test
  std::atomic<bool>& cancelled;
  std::function<void()> give_up;  ///< ends the process: it was told to stop and something hangs
};

/// Collective. Only the root writes anything. Returns the same exit code on every rank.
int run_command(const mpi::Communicator& world, const Result<Options>& options,
                const Surroundings& surroundings);

/// What would run on `options.ranks` ranks of this machine; needs no MPI start.
int plan_command(const Options& options, std::ostream& out, std::ostream& errors);

}  // namespace groma::hpcc
