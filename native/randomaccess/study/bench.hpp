// What a run of groma-randomaccess works on: ranks, their parts of the table, and what each generates.
#pragma once

#include "job/repetition.hpp"
#include "randomaccess/study/plan.hpp"
#include "randomaccess/table_memory.hpp"

namespace groma::randomaccess {

/// The ranks of a study, their parts of the table and what each generates.
struct Bench {
  const job::Measuring& context;
  const StudyPlan& plan;
  mpi::Communicator node;
  Partition parts;
  std::vector<int> nodes;  ///< Placement::nodes
  Section section;         ///< that this rank generates
};

/// Collective.
Bench bench_for(const job::Measuring& context, const StudyPlan& plan);

/// Collective. Errors: memory.
Result<TableMemory> allocate_table(const Bench& bench);

/// `memory` and `bench` outlive it.
Setup setup_for(const Bench& bench, const TableMemory& memory);

}  // namespace groma::randomaccess
