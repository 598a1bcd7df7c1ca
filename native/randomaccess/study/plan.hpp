// What a run of groma-randomaccess does, decided before it starts. A pure function of the options and the
// machine, the same on every rank.
#pragma once

#include <string>
#include <vector>

#include "job/outcome.hpp"
#include "randomaccess/algorithm.hpp"
#include "randomaccess/mapping.hpp"
#include "randomaccess/study/options.hpp"

namespace groma::randomaccess {

struct StudyMachine {
  Site site;            ///< without a requested grid or limit
  Bytes memory_a_rank;  ///< that is free on the poorest node, divided among its ranks
};

struct StudyPlan {
  int ranks;
  const Algorithm* algorithm;
  std::vector<int> grid;
  int routers;  ///< Site::routers
  MappingMode mode;
  std::uint64_t words;
  std::uint64_t updates;  ///< of the whole run
  Generator generator;
  OwnerRule owner;
  std::uint64_t look_ahead;
  bool bottleneck;       ///< the experiment, not the rate
  ExtraLoad extra_load;  ///< that it shall find
  std::uint64_t seed;    ///< of the order of its runs
  job::Effort effort;
  Bytes memory_per_rank;
  std::vector<job::Choice> choices;
};

/// Errors (usage, memory) say what cannot be run and what can.
Result<StudyPlan> study_plan(const StudyOptions& options, const StudyMachine& machine);

/// A machine of at most as many nodes as ranks, each with this memory and as many ranks as any other, or one
/// less.
StudyMachine assumed_machine(int ranks, int nodes, Bytes memory_of_node);

Json to_json(const StudyPlan& plan);

}  // namespace groma::randomaccess
