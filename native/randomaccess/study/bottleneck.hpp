// Which role of specialised ranks is the bottleneck: section 5.1 of Aggarwal et al. 2008. The ranks of a role
// and of all later ones drop what reaches them; or those of one role, or all that send or receive messages,
// take longer for each update by a known time. The role whose load changes the rate is the bottleneck.
#pragma once

#include <string>
#include <vector>

#include "job/outcome.hpp"
#include "job/repetition.hpp"
#include "randomaccess/routed/perturbation.hpp"
#include "randomaccess/specialised/roles.hpp"
#include "randomaccess/study/plan.hpp"

namespace groma::randomaccess {

/// One way to run the algorithm.
struct Intervention {
  enum class Kind { kNone, kDiscard, kWork, kSend, kReceive };
  Kind kind;
  std::string role;  ///< that is dropped with all later ones, or delayed: a role, "send" or "receive"
  int step = 0;      ///< the first stage of the role; updating comes after all stages
  int ranks = 1;     ///< of a node that share its work
};

/// Nothing comes first; then updates are dropped from the last role back to the second; then each role is
/// delayed, and where there are messages, sending and receiving.
std::vector<Intervention> interventions_on(const Roles& roles);

/// What an intervention means for a rank of the node, where a delay is so much for each update.
Perturbation perturbation_for(const Intervention& intervention, const Roles& roles, int rank, Seconds each);

/// Collective; an error is the same on all ranks. A repetition makes the same updates with every intervention
/// once, in an order drawn from the plan's seed. Samples (mpi) have the labels "intervention" (none, discard,
/// delay) and "role": seconds of a node for one update (update_time), and those of them that the rank that
/// was delayed most was kept busy (delayed_time). Checks: no wrong word wherever nothing was dropped, and no
/// more updates pending than the look-ahead. No rate is a figure of the benchmark.
Result<job::Outcome> run_bottleneck(const job::Measuring& context, const StudyPlan& plan);

}  // namespace groma::randomaccess
