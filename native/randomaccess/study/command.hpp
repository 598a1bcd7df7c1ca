// groma-randomaccess from its options to its exit code.
#pragma once

#include "job/process.hpp"
#include "randomaccess/study/options.hpp"

namespace groma::randomaccess {

/// Collective. Only the root writes anything: events where they are asked for, else a few lines of results.
/// Returns the same exit code on every rank.
int run_study_command(const mpi::Communicator& world, const Result<StudyOptions>& options,
                      const job::Process& process);

/// What would run on `options.ranks` ranks of machines like this one; needs no MPI start.
int plan_study_command(const StudyOptions& options, std::ostream& out, std::ostream& errors);

/// Times ways in which threads update one table and counts their wrong words; samples go to `out`. Needs no
/// MPI start. Wrong words are no failure here.
int run_errors_command(const StudyOptions& options, const job::Process& process);

/// Times lookups of a word's owner by each rule; samples go to `out`. Needs no MPI start.
int run_owner_command(const StudyOptions& options, const job::Process& process);

/// A line of JSON for each algorithm.
void list_algorithms(std::ostream& out);

}  // namespace groma::randomaccess
