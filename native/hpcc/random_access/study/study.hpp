// One run of groma-randomaccess: a plan carried out, its repetitions told to a sink, its facts summed up.
#pragma once

#include "hpcc/random_access/study/plan.hpp"
#include "hpcc/repetition.hpp"

namespace groma::hpcc::random_access {

/// Collective; an error is the same on all ranks. Samples: seconds and updates/s of each repetition (mpi),
/// and for each rank, marked as raw, what it sent, handed on and waited for, with its role. Checks: no wrong
/// word, and no more updates pending than the look-ahead.
Result<Outcome> run_study(const Context& context, const StudyPlan& plan);

}  // namespace groma::hpcc::random_access
