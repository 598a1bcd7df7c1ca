#include "base/disturbance.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "base/do_not_optimize.hpp"

namespace groma {

Seconds time_fixed_work() {
  constexpr int kSteps = 20'000;
  std::uint64_t state = 1;
  const std::int64_t start = monotonic_ns();
  for (int i = 0; i < kSteps; ++i)
    state = do_not_optimize(state * 6364136223846793005U + 1442695040888963407U);
  return between(start, monotonic_ns());
}

Seconds steal_since_boot(const std::string& proc_stat) {
  std::ifstream file(proc_stat);
  std::string label;
  double field = 0.0;
  file >> label;
  constexpr int kStealField = 8;  // user nice system idle iowait irq softirq steal
  for (int i = 0; i < kStealField; ++i) file >> field;
  if (!file || label != "cpu") return Seconds(0.0);
  return Seconds(field / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

RoundWatch::RoundWatch(const Clock& clock, std::uint32_t round)
    : clock_(clock),
      round_(round),
      wall_(clock.now()),
      cpu_(clock.thread_cpu()),
      team_(team_times()),
      steal_(steal_since_boot()) {}

RoundReport RoundWatch::report() const {
  const Seconds elapsed = clock_.now() - wall_;
  const TeamTimes team = team_times();
  const Seconds worked = elapsed - (team.waited - team_.waited) + (team.wall - team_.wall);
  const Seconds got = clock_.thread_cpu() - cpu_ + (team.cpu - team_.cpu);
  return {.round = round_,
          .elapsed = elapsed,
          .fixed_work = time_fixed_work(),
          .wall_over_cpu = got.value() > 0.0 ? worked / got : 1.0,
          // Some hypervisors correct their account downwards.
          .steal = std::max(steal_since_boot() - steal_, Seconds(0.0))};
}

}  // namespace groma
