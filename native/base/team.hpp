// Threads pinned to cores that act together.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/result.hpp"
#include "base/spin_barrier.hpp"
#include "base/units.hpp"

namespace groma {

/// A member's view of the team: its index and the barrier shared by all.
struct TeamMember {
  std::size_t index;
  SpinBarrier& barrier;
};

/// Sums over all teams of this process since it began. A member that was never disturbed has wall == cpu.
struct TeamTimes {
  Seconds waited;  ///< that callers of run_team spent in it
  Seconds wall;    ///< that members worked
  Seconds cpu;     ///< that members got
};

/// Thread-safe; the times of a team count when it has finished.
TeamTimes team_times();

/// Runs `work` on one pinned thread per entry of `cpus`, returns when all have finished. The first error of
/// starting or pinning threads is returned and `work` then runs on none. Not reentrant from a member.
Status run_team(const std::vector<PhysicalCore>& cpus, const std::function<void(const TeamMember&)>& work);

}  // namespace groma
