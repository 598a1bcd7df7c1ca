// Time-independent traces: one line `rank action arguments` for each call, as SimGrid's SMPI writes and
// replays them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sim/torus/messages/program.hpp"

namespace groma::sim::torus {

/// How long computing takes.
struct TraceScale {
  double cycles_per_unit = 1.0;    ///< of `compute` and of what reductions compute
  double cycles_per_second = 1e9;  ///< of `sleep`
};

/// The programs of ranks 0, 1, … Collectives become messages. Errors name the line.
///   init [1]; finalize; location …        1: sizes are in elements of 8 bytes where no type is given
///   compute UNITS; sleep SECONDS
///   send, isend TO TAG SIZE [TYPE]; recv, irecv FROM TAG SIZE [TYPE]; a FROM or TAG below 0 stands for any
///   sendRecv SIZE TO SIZE FROM [TYPE [TYPE]]
///   wait FROM TO TAG; waitall; test …     a test does not wait
///   barrier
///   bcast SIZE [ROOT [TYPE]]; reduce SIZE UNITS [ROOT [TYPE]]; allreduce, scan, exscan SIZE UNITS [TYPE]
///   gather, scatter SIZE SIZE [ROOT [TYPE [TYPE]]]; allgather, alltoall SIZE SIZE [TYPE [TYPE]]
///   gatherv SIZE COUNT… [ROOT [TYPE [TYPE]]]; scatterv COUNT… SIZE [ROOT [TYPE [TYPE]]]
///   allgatherv SIZE COUNT… [TYPE [TYPE]]; reducescatter COUNT… UNITS [TYPE]
///   alltoallv SIZE COUNT… SIZE COUNT… [TYPE [TYPE]]
/// Types are those of SMPI: 0 double, 1 int, 2 char, 3 short, 4 long, 5 float, 6 byte. Case does not matter.
///
/// Beyond what SMPI knows:
///   communicator NUMBER RANKS…            a line without a rank; RANKS are numbers and ranges such as 0-7
///   … @NUMBER                             after a collective: in that communicator, whose ranks count
///   ibarrier …, and i before each other collective; waitcollective: for the oldest of those
Result<std::vector<Program>> read_trace(std::string_view text, const TraceScale& scale);

/// The text of a trace file. Where the file lists other files, one a line, theirs one after the other.
Result<std::string> read_trace_files(const std::string& path);

}  // namespace groma::sim::torus
