#include "hpcc/effective_bandwidth/verdict.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "job/counted.hpp"

namespace groma::hpcc {
namespace {

// As in the survey (src/groma/survey/run.py): single rounds are what medians are for.
constexpr double kShare = 0.25;
constexpr double kLostCpu = 1.10;
constexpr double kSlower = 1.25;

bool is_disturbed(const Disturbance& round, Seconds undisturbed) {
  return round.wall_over_cpu > kLostCpu || round.fixed_work > undisturbed * kSlower ||
         round.steal > Seconds(0.0);
}

}  // namespace

std::optional<Error> verdict_on(const std::vector<Disturbance>& rounds) {
  Seconds undisturbed(std::numeric_limits<double>::infinity());
  for (const Disturbance& one : rounds) undisturbed = std::min(undisturbed, one.fixed_work);
  const auto disturbed = std::count_if(
      rounds.begin(), rounds.end(), [&](const Disturbance& one) { return is_disturbed(one, undisturbed); });
  if (static_cast<double>(disturbed) <= kShare * static_cast<double>(rounds.size())) return std::nullopt;
  return Error{"effective_bandwidth.disturbed",
               "other processes used the cores in " + std::to_string(disturbed) + " of " +
                   job::counted(rounds.size(), "round") + " of the message tests: do not trust their values",
               "repeat on an idle machine with one core for each rank"};
}

}  // namespace groma::hpcc
