// A run from its options to its exit code: plan, suite, hpccoutf.txt, table.
#pragma once

#include <ostream>

#include "hpcc/suite.hpp"
#include "job/process.hpp"

namespace groma::hpcc {

constexpr std::string_view kProgram = "groma-hpcc";

/// Interrupted goes before failed, failed before invalid.
int code_of(const SuiteResult& result);

/// Collective. Only the root writes anything. Returns the same exit code on every rank.
int run_command(const mpi::Communicator& world, const Result<Options>& options, const job::Process& process);

/// What would run on `options.ranks` ranks of this machine; needs no MPI start.
int plan_command(const Options& options, std::ostream& out, std::ostream& errors);

}  // namespace groma::hpcc
