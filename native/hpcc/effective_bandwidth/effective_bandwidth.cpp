// Effective bandwidth and latency: ping-pong between pairs of ranks, rings through all of them.
#include <algorithm>
#include <cmath>

#include "base/topology.hpp"
#include "hpcc/effective_bandwidth/allowance.hpp"
#include "hpcc/effective_bandwidth/headline.hpp"
#include "hpcc/effective_bandwidth/report.hpp"
#include "hpcc/effective_bandwidth/sample_cases.hpp"
#include "job/sample_log.hpp"

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
  routes.pairs =
      choose_pairs(world.size(), std::max(scope.latency_pairs.routes, scope.bandwidth_pairs.routes),
                   RandomStream(context.plan.seed));
  const std::uint32_t rings = std::max(scope.latency_rings.routes, scope.bandwidth_rings.routes);
  for (std::uint32_t ring = 0; ring <= rings; ++ring) {
    routes.rings.push_back(neighbours_in(ring_order(world.size(), ring, context.plan.seed), world.rank()));
  }
  return routes;
}

/// Between one rank and itself there is nothing to measure.
Outcome nothing_to_measure(const Context& context) {
  context.sink.begin({});
  context.sink.end(EndReason::kStable);
  return {{}, summary_of({})};
}

/// What the root keeps of all rounds.
class RoundLog {
 public:
  RoundLog(const Context& context, const PatternContext& from)
      : log_(context.sink), from_(from), cases_(from) {
    std::vector<Case> all;
    for (const Headline& one : headlines()) {
      all.push_back(Case(one.unit).with("series", one.series).with("mode", "mpi").with("rank", 0));
    }
    all.insert(all.end(), cases_.cases().begin(), cases_.cases().end());
    log_.begin(all, kHeadlines);
  }

  void keep(const Slice& slice, std::uint32_t round) {
    add(cases_.of_slice(slice), round);
    log_.end_round(slice.report);
    wrong_ += slice.wrong;
    disturbances_.push_back(slice.disturbance);
  }

  void keep(const RoundResult& result, std::uint32_t round) {
    add(cases_.of_round(result), round);
    rounds_.push_back(headlines_of(from_.patterns, result.decisive, BufferState::kReused));
    for (std::size_t i = 0; i < kHeadlines; ++i) add(i, round, rounds_.back().at(i));
    if (rounds_.size() == 1) coverage_ = coverage_of(from_.patterns, result.decisive);
  }

  [[nodiscard]] const job::SampleLog& log() const { return log_; }
  [[nodiscard]] const std::vector<HeadlineValues>& rounds() const { return rounds_; }
  [[nodiscard]] const std::vector<Disturbance>& disturbances() const { return disturbances_; }
  [[nodiscard]] const Coverage& coverage() const { return coverage_; }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  void add(const std::vector<CaseValue>& values, std::uint32_t round) {
    for (const CaseValue& one : values) add(kHeadlines + one.which, round, one.value);
  }
  void add(std::size_t which, std::uint32_t round, double value) {
    if (!std::isnan(value)) log_.add(which, round, value);
  }

  job::SampleLog log_;
  const PatternContext& from_;
  SampleCases cases_;
  std::vector<HeadlineValues> rounds_;
  std::vector<Disturbance> disturbances_;
  Coverage coverage_{};
  std::uint64_t wrong_ = 0;
};

/// Values by repetition, as the table of results takes them.
void append(std::vector<job::Figure>* figures, const std::vector<HeadlineValues>& rounds) {
  if (figures == nullptr) return;
  for (std::size_t i = 0; i < kHeadlines; ++i) {
    const Headline& one = headlines().at(i);
    job::Figure figure{std::string(one.series), "mpi", std::string(one.unit), {}};
    for (const HeadlineValues& values : rounds) figure.values.push_back({values.at(i)});
    figures->push_back(std::move(figure));
  }
}

/// The time of all rounds: no sample is begun that is expected to end later.
struct Period {
  Seconds begin;  ///< by the own clock
  Seconds allowed;
};

/// All rounds.
class Experiment {
 public:
  Experiment(const Context& context, Sampler& sampler, const Scope& scope, const Period& period)
      : context_(context),
        allowed_(period.allowed),
        end_(period.begin + period.allowed),
        further_(context.ending_by(period.begin + usual_time(context.plan))),
        scope_(scope),
        patterns_(patterns_of(scope_)),
        routes_(routes_of(context, scope_)),
        rounds_({context.world, context.clock, context.cancelled, patterns_, routes_}, sampler),
        pace_(context.plan.network, context.plan.ranks),
        from_{patterns_, routes_.pairs, rounds_.sampled(), context.world.size(), context.plan.seed} {
    if (context.world.is_root()) round_log_.emplace(context, from_);
  }

  Outcome run() {
    std::optional<EndReason> ended;
    for (std::uint32_t round = 0; !ended; ++round) ended = measure(round);
    if (!round_log_) return {};
    context_.sink.end(*ended);
    append(context_.figures, round_log_->rounds());
    return outcome(*ended);
  }

 private:
  /// Why the rounds end with this one, the same on every rank.
  std::optional<EndReason> measure(std::uint32_t round) {
    const Seconds began = context_.clock.now();
    const Seconds left(context_.world.broadcast_value((end_ - began).value()));
    rounds_.begin(round, {patterns_, order(round, left), pace_, left});
    while (const auto slice = rounds_.next()) {
      if (round_log_) round_log_->keep(*slice, round);
    }
    const RoundResult result = rounds_.finish();
    // Figures of less than a whole round stand only where there are no others.
    if (round_log_ && (round == 0 || rounds_.is_whole())) round_log_->keep(result, round);
    if (rounds_.is_cancelled()) return EndReason::kInterrupted;
    if (!rounds_.is_whole()) return EndReason::kBudget;
    return common_reason(context_.clock.now() - began, round + 1);
  }

  std::optional<EndReason> common_reason(Seconds took, std::uint32_t done) const {
    constexpr std::int32_t kGoesOn = -1;
    std::optional<EndReason> reason;
    if (round_log_) reason = job::reason_to_end(further_, round_log_->log().samples(), done);
    if (!reason && context_.clock.now() + took > end_) reason = EndReason::kBudget;
    const auto reason_of_all =
        context_.world.broadcast_value(reason ? static_cast<std::int32_t>(*reason) : kGoesOn);
    return reason_of_all == kGoesOn ? std::nullopt : std::optional(static_cast<EndReason>(reason_of_all));
  }

  [[nodiscard]] std::vector<SampleSlot> order(std::uint32_t round, Seconds left) const {
    const RandomStream random = RandomStream(context_.plan.seed).fork(round);
    return round > 0 || ends_surely(context_.plan, patterns_, left) ? random_order(patterns_, random)
                                                                    : urgent_order(patterns_, random);
  }

  [[nodiscard]] Outcome outcome(EndReason ended) const {
    const Scope asked = whole_scope_of(context_.plan, allowed_);
    const Report report{.asked = asked,
                        .scope = scope_,
                        .coverage = round_log_->coverage(),
                        .rounds = round_log_->rounds().size(),
                        .asked_rounds = context_.plan.effort.repetitions,
                        .allowed = allowed_,
                        .whole_round = time_of_round(context_.plan, asked, pace_)};
    std::vector<Error> warnings;
    if (const auto verdict = verdict_on(round_log_->disturbances())) warnings.push_back(*verdict);
    const auto cut = cut_warning(report);
    if (cut && ended != EndReason::kInterrupted) warnings.push_back(*cut);
    const auto wrong = static_cast<double>(round_log_->wrong());
    return {{.checks = {{"effective bandwidth wrong messages", wrong, 0.0}}, .warnings = warnings},
            summary_of(round_log_->rounds()),
            text_of(report, warnings)};
  }

  const Context& context_;
  Seconds allowed_;
  Seconds end_;
  Context further_;
  Scope scope_;
  std::vector<Pattern> patterns_;
  Routes routes_;
  Rounds rounds_;
  Pace pace_;
  PatternContext from_;
  std::optional<RoundLog> round_log_;  ///< on the root
};

/// Memory of messages, and as much more as rotating ones need where there are any.
Result<Messages> messages_for(const Scope& scope) {
  const std::uint64_t largest = largest_message(scope.curves);
  return Messages::make(largest, scope.other_states || scope.curves ? pool_of(largest) : 1_MiB);
}

Result<Outcome> run(const Context& context) {
  if (context.world.size() == 1) return nothing_to_measure(context);
  const Seconds begin = context.clock.now();
  const Seconds own = allowed_time(context.plan, context.until - begin);
  const Period period{begin, Seconds(context.world.broadcast_value(own.value()))};
  const Scope scope = scope_of(context.plan, period.allowed);
  auto messages = messages_for(scope);
  const Status made = messages ? Status(Done{}) : Status(messages.error());
  if (const Status status = context.world.agree(made); !status) return status.error();
  Sampler sampler(context.world, context.clock, std::move(messages).value());
  return Experiment(context, sampler, scope, period).run();
}

/// Messages of a few megabytes and as much again that they rotate through.
double words_held(const Plan& /*plan*/) {
  return 1e6;
}

const Registration kRegistered(kInfo, run, {words_held, time_taken});

}  // namespace
}  // namespace groma::hpcc
