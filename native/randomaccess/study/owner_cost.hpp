// What a lookup of a word's owner costs: by division, as HPC Challenge does it, and by prediction
// (theorem 4.1 of Aggarwal et al. 2008), one after the other in random order.
#pragma once

#include "base/sampling.hpp"
#include "randomaccess/study/options.hpp"

namespace groma::randomaccess {

/// Samples seconds for a lookup, for each number of parts and each way that is right there: "division" in the
/// narrowest integers that hold the table, "prediction" where one correction is enough, "search" where not.
/// Errors (usage): a table that is no power of two, or has fewer words than parts.
Result<EndReason> measure_owner_cost(const StudyOptions& options, const Clock& clock,
                                     const std::atomic<bool>& cancelled, SampleSink& sink);

}  // namespace groma::randomaccess
