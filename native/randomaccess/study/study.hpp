// One run of groma-randomaccess: carries out a plan, reports repetitions to a sink, sums up facts.
#pragma once

#include "job/outcome.hpp"
#include "job/repetition.hpp"
#include "randomaccess/study/plan.hpp"

namespace groma::randomaccess {

/// Collective; an error is the same on all ranks. The experiment of a plan that has one is run_bottleneck's;
/// else samples: seconds and updates/s of each repetition (mpi),
/// and for each rank, marked as raw, what it sent, handed on and waited for, with its role. Checks: no wrong
/// word, and no more updates pending than the look-ahead.
Result<job::Outcome> run_study(const job::Measuring& context, const StudyPlan& plan);

}  // namespace groma::randomaccess
