// Effective bandwidth and latency: ping-pong between pairs of ranks, rings through all of them.
#include <algorithm>
#include <sstream>

#include "base/topology.hpp"
#include "hpcc/effective_bandwidth/headline.hpp"
#include "hpcc/effective_bandwidth/telling.hpp"

namespace groma::hpcc {
namespace {

const BenchmarkInfo kInfo = {
    .name = "effective_bandwidth",
    .title = "Effective bandwidth and latency",
    .measures = "s of 8 bytes and B/s of 2,000,000 bytes, one way, of ping-pongs and rings",
    .formula =
        "ping-pong: half a round trip; rings: half the time to exchange with both neighbours, slowest "
        "rank; best of 5 (8 bytes) or 2; geometric mean of random rings; median over rounds",
    .validation = "every message arrives as it was sent",
    .reference = "HPC Challenge 1.5.0; Rabenseifner and Koniges 2001 (b_eff)",
    .order = 60,
};

constexpr double kShareOfBudget = 0.05;
constexpr Bytes kUsualCache = 32_MiB;

/// What the last-level cache around this rank asks for.
Bytes pool_of(std::uint64_t largest) {
  const Topology topology = this_topology();
  const Bytes size = topology.last_level_cache().value_or(kUsualCache);
  std::uint64_t cores = 1;
  for (const TopologyCache& cache : topology.caches) {
    if (cache.size == size && cache.kind != "instruction") cores = std::max(cores, cache.cores.size());
  }
  return rotating_pool(largest, size, cores);
}

Routes routes_of(const Context& context, const Scope& scope) {
  const mpi::Communicator& world = context.world;
  Routes routes;
  routes.pairs = choose_pairs(world.size(), std::max(scope.latency_pairs, scope.bandwidth_pairs),
                              RandomStream(context.plan.seed));
  for (std::uint32_t ring = 0; ring <= std::max(scope.latency_rings, scope.bandwidth_rings); ++ring) {
    routes.rings.push_back(neighbours_in(ring_order(world.size(), ring, context.plan.seed), world.rank()));
  }
  return routes;
}

/// The scope that rank 0 found fitting, on every rank.
Scope common_scope(const Context& context, Sampler& sampler) {
  const Costs costs = measure_costs(context.world, context.clock, sampler);  // largest over ranks: the same
  const Seconds round = context.plan.effort.budget * (kShareOfBudget / context.plan.effort.repetitions);
  return scope_for(costs, round, context.world.size(), context.plan.curves);
}

std::vector<job::Series> series_of_headlines() {
  std::vector<job::Series> series;
  for (const Headline& one : headlines()) series.push_back({one.series, "mpi", one.unit});
  return series;
}

std::string report_of(const Scope& scope, int ranks, std::size_t rounds, const std::vector<Error>& warnings) {
  std::ostringstream text;
  text << "Effective bandwidth: " << rounds << " rounds; ping-pongs of " << scope.latency_pairs << " and "
       << scope.bandwidth_pairs << " pairs (8 and 2000000 bytes) out of "
       << static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(ranks - 1) << "; "
       << scope.latency_rings << " and " << scope.bandwidth_rings << " random rings; reused buffers.\n";
  for (const Error& one : warnings) text << "WARNING: " << one.what << "; " << one.next << ".\n";
  return text.str();
}

/// Between one rank and itself there is nothing to measure.
Outcome nothing_to_measure(const Context& context) {
  context.sink.begin({});
  context.sink.end(Ended::kStable);
  return {{}, summary_of({})};
}

/// All rounds, and what the root keeps of them.
class Experiment {
 public:
  Experiment(const Context& context, Sampler& sampler, const Scope& scope)
      : context_(context),
        scope_(scope),
        patterns_(patterns_of(scope)),
        routes_(routes_of(context, scope)),
        rounds_(context.world, context.clock, sampler, patterns_, routes_, context.plan.seed) {}

  Outcome run() {
    const job::Values values = job::repeat(
        context_, series_of_headlines(), [this] { return measure(); },
        [this] {
          return tell({patterns_, routes_.pairs, context_.world.size(), context_.plan.seed}, last_);
        });
    if (!context_.world.is_root()) return {};
    std::vector<Error> warnings;
    if (const auto verdict = verdict_on(disturbances_)) warnings.push_back(*verdict);
    return {{.checks = {{"effective bandwidth wrong messages", static_cast<double>(wrong_), 0.0}},
             .warnings = warnings},
            summary_of(values),
            report_of(scope_, context_.world.size(), disturbances_.size(), warnings)};
  }

 private:
  std::vector<double> measure() {
    last_ = rounds_.run(round_++);
    if (!context_.world.is_root()) return std::vector<double>(kHeadlines);
    wrong_ += last_.wrong;
    disturbances_.push_back(last_.disturbance);
    const HeadlineValues values = headlines_of(patterns_, last_.decisive, BufferState::kReused);
    return {values.begin(), values.end()};
  }

  const Context& context_;
  Scope scope_;
  std::vector<Pattern> patterns_;
  Routes routes_;
  Rounds rounds_;
  std::uint32_t round_ = 0;
  RoundResult last_;
  std::uint64_t wrong_ = 0;
  std::vector<Disturbance> disturbances_;
};

Result<Outcome> run(const Context& context) {
  if (context.world.size() == 1) return nothing_to_measure(context);
  const std::uint64_t largest = largest_message(context.plan.curves);
  auto messages = Messages::make(largest, pool_of(largest));
  const Status made = messages ? Status(Done{}) : Status(messages.error());
  if (const Status status = context.world.agree(made); !status) return status.error();
  Sampler sampler(context.world, context.clock, std::move(messages).value());
  const Context limited =
      context.ending_by(context.clock.now() + context.plan.effort.budget * kShareOfBudget);
  return Experiment(limited, sampler, common_scope(limited, sampler)).run();
}

/// Messages of a few megabytes and as much again that they rotate through.
double words_held(const Plan& /*plan*/) {
  return 1e6;
}

/// Its scope is cut to its share of the budget.
Seconds time_taken(const Plan& plan, Seconds /*left*/) {
  return plan.effort.budget * (plan.ranks == 1 ? 0.0 : kShareOfBudget);
}

const Registration kRegistered(kInfo, run, {words_held, time_taken});

}  // namespace
}  // namespace groma::hpcc
