// Threads pinned to cores that act together.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace groma {

/// Sense-reversing barrier that spins: its members leave within a cache line's latency of each other.
/// Yields after a while, so that it does not hang where there are fewer cores than members.
class SpinBarrier {
 public:
  explicit SpinBarrier(std::uint32_t members) : members_(members) {}
  void wait();

 private:
  const std::uint32_t members_;
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<std::uint32_t> phase_{0};
};

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
