// How much other work on the machine disturbs a round of measurements.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/samples.hpp"
#include "base/team.hpp"

namespace groma {

/// Time of a constant amount of dependent arithmetic (about 20 us): grows when the core is shared or slowed.
Seconds time_fixed_work();

/// CPU time that the hypervisor took from this machine since boot (steal), 0 if the kernel does not say.
/// `proc_stat` is replaced in tests.
Seconds steal_since_boot(const std::string& proc_stat = "/proc/stat");

/// Watches one round from construction to report(): the calling thread and the teams that it ran.
class RoundWatch {
 public:
  RoundWatch(const Clock& clock, std::uint32_t round);
  [[nodiscard]] RoundReport report() const;

 private:
  const Clock& clock_;
  std::uint32_t round_;
  Seconds wall_;
  Seconds cpu_;
  TeamTimes team_;
  Seconds steal_;
};

}  // namespace groma
