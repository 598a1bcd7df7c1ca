#include "hpcc/effective_bandwidth/report.hpp"

#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string_view>

#include "job/counted.hpp"

namespace groma::hpcc {
namespace {

struct KindOfSample {
  std::string_view name;
  std::string_view route;
  RouteSampling Scope::*sampling;
  std::size_t Coverage::*count;
};

constexpr std::array kKinds = std::to_array<KindOfSample>({
    {"ping-pong of 8 bytes", "pair", &Scope::latency_pairs, &Coverage::latency_pairs},
    {"ping-pong of 2000000 bytes", "pair", &Scope::bandwidth_pairs, &Coverage::bandwidth_pairs},
    {"random rings of 8 bytes", "ring", &Scope::latency_rings, &Coverage::latency_rings},
    {"random rings of 2000000 bytes", "ring", &Scope::bandwidth_rings, &Coverage::bandwidth_rings},
});

std::string seconds(Seconds time) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << std::ceil(time.value()) << " s";
  return text.str();
}

/// As --budget takes it, with something in hand.
std::string budget_for(const Report& report) {
  const double rounds = report.asked_rounds * 1.25;
  return std::to_string(static_cast<std::uint64_t>(std::ceil((report.whole_round * rounds).value()))) + "s";
}

std::string count_of(const Report& report, const KindOfSample& kind) {
  return std::to_string(report.coverage.*kind.count) + " of " +
         job::counted((report.asked.*kind.sampling).routes, kind.route);
}

/// Fewer routes, or fewer or shorter samples of each.
bool is_cut(const Report& report, const KindOfSample& kind) {
  const RouteSampling& asked = report.asked.*kind.sampling;
  const RouteSampling& measured = report.scope.*kind.sampling;
  return report.coverage.*kind.count < asked.routes || measured.repeats < asked.repeats ||
         measured.loop < asked.loop;
}

std::string samples_of(const RouteSampling& sampling) {
  return "best of " + std::to_string(sampling.repeats) + ", loop of " + std::to_string(sampling.loop);
}

}  // namespace

std::optional<Error> cut_warning(const Report& report) {
  std::string missing;
  const auto add = [&](const std::string& what) { missing += (missing.empty() ? "" : ", ") + what; };
  for (const KindOfSample& kind : kKinds) {
    if (is_cut(report, kind)) {
      add(count_of(report, kind) + " for " + std::string(kind.name) + " (" +
          samples_of(report.scope.*kind.sampling) + ")");
    }
  }
  if (report.rounds < report.asked_rounds) {
    add(std::to_string(report.rounds) + " of " + job::counted(report.asked_rounds, "round"));
  }
  if (missing.empty()) return std::nullopt;
  return Error{"effective_bandwidth.cut",
               "the message tests had " + seconds(report.allowed) + ", which was enough for " + missing,
               "a round of the whole definition takes about " + seconds(report.whole_round) +
                   " here; for all rounds: --only effective_bandwidth --budget " + budget_for(report)};
}

std::string text_of(const Report& report, const std::vector<Error>& warnings) {
  std::ostringstream text;
  text << "Effective bandwidth: " << job::counted(report.rounds, "round") << "; reused buffers.\n";
  for (const KindOfSample& kind : kKinds) {
    text << "  " << kind.name << ": " << count_of(report, kind) << ", "
         << samples_of(report.scope.*kind.sampling) << "\n";
  }
  for (const Error& one : warnings) text << "WARNING: " << one.what << "; " << one.next << ".\n";
  return text.str();
}

}  // namespace groma::hpcc
