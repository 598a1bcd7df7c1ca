// One run of groma-randomaccess: a plan carried out, its repetitions told to a sink, its facts summed up.
#pragma once

#include "job/outcome.hpp"
#include "job/repetition.hpp"
#include "randomaccess/study/plan.hpp"

namespace groma::randomaccess {

/// Collective; an error is the same on all ranks. Samples: seconds and updates/s of each repetition (mpi),
/// and for each rank, marked as raw, what it sent, handed on and waited for, with its role. Checks: no wrong
/// word, and no more updates pending than the look-ahead.
Result<job::Outcome> run_study(const job::Measuring& context, const StudyPlan& plan);

}  // namespace groma::randomaccess
