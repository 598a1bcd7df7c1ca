// Time-independent traces: one line `rank action arguments` for each call, as SimGrid's SMPI writes and
// replays them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sim/torus/messages/program.hpp"

namespace groma::sim::torus {

inline constexpr std::uint64_t kMaxRanks = 4194304;

/// What ranks run on.
struct ReplayTarget {
  double cycles_per_unit = 1.0;      ///< of `compute` and of what reductions compute
  double cycles_per_second = 1e9;    ///< of `sleep`
  std::uint64_t places = kMaxRanks;  ///< for ranks
};

/// The name is empty where the trace is one text.
struct TracePart {
  std::string name;
  std::string text;
};

struct TracePrograms {
  std::vector<Program> of_ranks;
  std::uint64_t sendrecvs = 0;  ///< lines of that action
  std::uint64_t unsized = 0;    ///< lines with a type of unknown size: elements count as those without a type
};

/// The programs of ranks 0, 1, … Collectives become messages. Errors name the line.
///   init [1]; finalize; location …        1: sizes are in elements of 8 bytes where no type is given
///   comm_size, comm_split, comm_dup …     as in SMPI, collectives are still those of all ranks
///   compute UNITS; sleep SECONDS
///   send, isend TO TAG SIZE [TYPE]; recv, irecv FROM TAG SIZE [TYPE]; a FROM or TAG below 0 stands for any;
///   ssend is taken as send, issend as isend; bsend and ibsend are complete at once, whatever their size
///   sendRecv SIZE TO SIZE FROM [TYPE [TYPE]]
///   wait FROM TO TAG; waitall; waitany …  any: the oldest request
///   test, testall, testany, testsome …    do not wait
///   barrier
///   bcast SIZE [ROOT [TYPE]]; reduce SIZE UNITS [ROOT [TYPE]]; allreduce, scan, exscan SIZE UNITS [TYPE]
///   gather, scatter SIZE SIZE [ROOT [TYPE [TYPE]]]; allgather, alltoall SIZE SIZE [TYPE [TYPE]]
///   gatherv SIZE COUNT… [ROOT [TYPE [TYPE]]]; scatterv COUNT… SIZE [ROOT [TYPE [TYPE]]]
///   allgatherv SIZE COUNT… [TYPE TYPE] [DISPLACEMENT…]; reducescatter COUNT… UNITS [TYPE]
///   alltoallv SIZE COUNT… SIZE COUNT… [TYPE [TYPE]]
/// Types have the numbers of SMPI: 0 double, 1 int, 2 char, 3 short, 4 long, 5 float, 6 byte and others up
/// to 59. One below 0 is a type of the program's own, whose size is not in the trace. Case does not matter.
///
/// Beyond what SMPI knows:
///   communicator NUMBER RANKS…            a line without a rank; RANKS are numbers and ranges such as 0-7
///   … @NUMBER                             after a collective: in that communicator, whose ranks count
///   ibarrier …, and i before each other collective; waitcollective: for the oldest of those. SMPI writes
///   them as well, and for their end `wait` with a tag below 0 which is not -1 and not its MPI_ANY_TAG, -444
Result<TracePrograms> read_trace(const std::vector<TracePart>& parts, const ReplayTarget& target);

/// A trace file. Where the file lists other files, one a line, these. Their names are relative to the folder
/// of the list, else to the present one.
Result<std::vector<TracePart>> read_trace_files(const std::string& path);

}  // namespace groma::sim::torus
