#include "randomaccess/study/bottleneck.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "randomaccess/specialised/specialised.hpp"
#include "randomaccess/study/bench.hpp"
#include "randomaccess/verification.hpp"

namespace groma::randomaccess {
namespace {

using Kind = Intervention::Kind;

constexpr std::uint64_t kWarmUp = std::uint64_t{1} << 16U;  // updates of a rank
constexpr int kTrials = 5;  // of the run alone: noise only adds, and the shortest tells the delays
constexpr Seconds kLongestDelay{1e-5};  // of an update, wherever ranks have to share cores

int step_of(const Roles& roles, int rank) {
  return roles.updates(rank) ? roles.dimensions() + 1 : roles.stages(rank).first;
}

/// By step; of ranks on lanes of different lengths, those that begin with the same stage count as one role.
std::vector<Intervention> steps_of(const Roles& roles) {
  std::vector<Intervention> steps;
  for (int rank = 0; rank < roles.ranks(); ++rank) {
    const int step = step_of(roles, rank);
    const auto known = std::ranges::find(steps, step, &Intervention::step);
    if (known == steps.end()) {
      steps.push_back({Kind::kWork, roles.name(rank), step, 1});
    } else {
      ++known->ranks;
    }
  }
  std::ranges::sort(steps, {}, &Intervention::step);
  return steps;
}

std::string_view label_of(Kind kind) {
  if (kind == Kind::kNone) return "none";
  return kind == Kind::kDiscard ? "discard" : "delay";
}

bool is_delay(Kind kind) {
  return kind != Kind::kNone && kind != Kind::kDiscard;
}

/// The runs of the experiment, made and measured on all ranks alike.
class Experiment {
 public:
  Experiment(const Bench& bench, const Setup& setup, const Roles& roles)
      : bench_(bench), setup_(setup), roles_(roles), first_(bench.parts.first(own_rank())) {}

  /// Collective. The run alone tells how long delays have to be: as long as a node takes for an update, so
  /// that a role that handles all of them becomes slower by the time of the whole node.
  Status make() {
    for (const Intervention& one : interventions_on(roles_)) {
      Perturbation perturbation = perturbation_for(one, roles_, bench_.node.rank(), delay_for(one));
      perturbation.extra_load = extra_load();
      auto made = make_specialised(
          setup_, {bench_.context.world.split_by_node(), setup_.routers, setup_.grid, perturbation});
      if (!made) return made.error();
      runs_.push_back({one, std::move(made).value()});
      const Seconds time = update_time_of(runs_.back(), one.kind == Kind::kNone ? kTrials : 1);
      if (one.kind == Kind::kNone) alone_ = time;
    }
    return Done{};
  }

  [[nodiscard]] std::vector<job::Series> series() const {
    std::vector<job::Series> all;
    for (const Run& run : runs_) all.push_back(series_of("update_time", run));
    for (const Run& run : runs_) {
      if (is_delay(run.intervention.kind)) all.push_back(series_of("delayed_time", run));
    }
    return all;
  }

  /// Collective. The values of series() of one repetition.
  std::vector<double> measure(std::uint64_t round) {
    for (const std::size_t at : order_of(round)) measure(runs_[at], round);
    std::vector<double> values;
    for (const Run& run : runs_) values.push_back(run.update_time.value());
    for (const Run& run : runs_) {
      if (is_delay(run.intervention.kind)) values.push_back(run.delayed_time.value());
    }
    return values;
  }

  /// Collective.
  [[nodiscard]] job::Outcome outcome() const {
    const mpi::Communicator& world = bench_.context.world;
    const std::uint64_t wrong = world.reduce_to_all(wrong_, mpi::Reduction::kSum);
    std::uint64_t pending = 0;
    for (const Run& run : runs_) {
      const std::uint64_t held = run.updater->activity().most_pending;
      pending = std::max(pending, most_pending(bench_.plan.mode, world, bench_.node, held));
    }
    job::Outcome outcome;
    outcome.checks = {
        {"wrong words", static_cast<double>(wrong), 0.0},
        {"updates pending", static_cast<double>(pending), static_cast<double>(bench_.plan.look_ahead)}};
    outcome.facts.add("errors", wrong).add("look_ahead_max", pending).add("roles", roles_json());
    return outcome;
  }

 private:
  struct Run {
    Intervention intervention;
    std::unique_ptr<Updater> updater;
    Seconds update_time{0.0};
    Seconds delayed_time{0.0};
  };

  [[nodiscard]] std::uint64_t own_rank() const {
    return static_cast<std::uint64_t>(bench_.context.world.rank());
  }

  /// Of this rank.
  [[nodiscard]] Seconds extra_load() const {
    const int step = step_of(roles_, bench_.node.rank());
    for (const Intervention& one : steps_of(roles_)) {
      if (one.step == step && one.role == bench_.plan.extra_load.role) return bench_.plan.extra_load.each;
    }
    return Seconds(0.0);
  }

  [[nodiscard]] Seconds delay_for(const Intervention& intervention) const {
    if (!is_delay(intervention.kind)) return Seconds(0.0);
    const Seconds each = alone_ * static_cast<double>(intervention.ranks);
    return std::min(each, kLongestDelay);
  }

  static job::Series series_of(std::string_view name, const Run& run) {
    return {name,
            "mpi",
            "s",
            {{"intervention", Json(label_of(run.intervention.kind))}, {"role", Json(run.intervention.role)}}};
  }

  [[nodiscard]] std::vector<std::size_t> order_of(std::uint64_t round) const {
    std::vector<std::size_t> order(runs_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    RandomStream random = RandomStream(bench_.plan.seed).fork(round);
    shuffle<std::size_t>(order, random);
    return order;
  }

  /// Of short runs, the shortest.
  Seconds update_time_of(Run& run, int trials) {
    const Section own = bench_.section;
    Seconds shortest(std::numeric_limits<double>::max());
    for (int trial = 0; trial < trials; ++trial) {
      apply(run, {own.first, std::min(own.count, kWarmUp)});
      shortest = std::min(shortest, run.update_time);
    }
    return shortest;
  }

  void measure(Run& run, std::uint64_t round) {
    const std::uint64_t parts = bench_.plan.effort.repetitions;
    const Section part = part_of(bench_.section, round % parts, parts);
    apply(run, part);
    if (run.intervention.kind != Kind::kDiscard) wrong_ += count_wrong_words(setup_, part);
  }

  /// Collective.
  void apply(Run& run, Section part) {
    const mpi::Communicator& world = bench_.context.world;
    fill(setup_.table, first_);
    const Seconds before = run.updater->activity().delayed;
    const Seconds time = job::time_together(world, bench_.context.clock, [&] { run.updater->apply(part); });
    const Seconds delayed = run.updater->activity().delayed - before;
    const double of_node = static_cast<double>(world.reduce_to_all(part.count, mpi::Reduction::kSum)) *
                           bench_.node.size() / world.size();
    run.update_time = Seconds(world.reduce_to_all(time.value(), mpi::Reduction::kMax)) / of_node;
    run.delayed_time = Seconds(world.reduce_to_all(delayed.value(), mpi::Reduction::kMax)) / of_node;
  }

  [[nodiscard]] Json roles_json() const {
    std::vector<Json> all;
    for (const Intervention& step : steps_of(roles_)) {
      all.push_back(JsonObject().add("role", step.role).add("ranks", step.ranks).json());
    }
    return Json(all);
  }

  const Bench& bench_;
  const Setup& setup_;
  Roles roles_;
  std::uint64_t first_;
  std::vector<Run> runs_;
  Seconds alone_{0.0};  // for an update of a node, without any intervention
  std::uint64_t wrong_ = 0;
};

Status check_extra_load(const ExtraLoad& extra_load, const Roles& roles) {
  if (extra_load.role.empty()) return Done{};
  std::string names;
  for (const Intervention& one : steps_of(roles)) {
    if (one.role == extra_load.role) return Done{};
    names += (names.empty() ? "'" : ", '") + one.role + "'";
  }
  return Error{"usage", "no rank has the role '" + extra_load.role + "'", "take one of " + names};
}

}  // namespace

std::vector<Intervention> interventions_on(const Roles& roles) {
  const std::vector<Intervention> steps = steps_of(roles);
  std::vector<Intervention> all = {{Kind::kNone, ""}};
  for (std::size_t at = steps.size() - 1; at > 0; --at) {
    all.push_back(steps[at]);
    all.back().kind = Kind::kDiscard;
  }
  all.insert(all.end(), steps.begin(), steps.end());
  if (roles.dimensions() > 0) {
    all.push_back({Kind::kSend, "send", 0, roles.lanes()});
    all.push_back({Kind::kReceive, "receive", 0, roles.lanes()});
  }
  return all;
}

Perturbation perturbation_for(const Intervention& intervention, const Roles& roles, int rank, Seconds each) {
  const int step = step_of(roles, rank);
  switch (intervention.kind) {
    case Kind::kNone:
      return {};
    case Kind::kDiscard:
      return {.discards = step >= intervention.step};
    case Kind::kWork:
      return {.each_worked = step == intervention.step ? each : Seconds(0.0)};
    case Kind::kSend:
      return {.each_sent = each};
    case Kind::kReceive:
      return {.each_received = each};
  }
  return {};
}

Result<job::Outcome> run_bottleneck(const job::Measuring& context, const StudyPlan& plan) {
  const Bench bench = bench_for(context, plan);
  const auto memory = allocate_table(bench);
  if (!memory) return memory.error();
  const Setup setup = setup_for(bench, memory.value());
  const Roles roles = roles_on(setup, bench.node.size());
  if (const Status known = check_extra_load(plan.extra_load, roles); !known) return known.error();
  Experiment experiment(bench, setup, roles);
  if (const Status made = experiment.make(); !made) return made.error();
  std::uint64_t round = 0;
  job::repeat(context, experiment.series(), [&] { return experiment.measure(round++); });
  return experiment.outcome();
}

}  // namespace groma::randomaccess
