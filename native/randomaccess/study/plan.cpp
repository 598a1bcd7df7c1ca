#include "randomaccess/study/plan.hpp"

#include <algorithm>
#include <bit>

#include "job/counted.hpp"

namespace groma::randomaccess {
namespace {

// A run of the default length ends in about a minute on a slow core, and no cache holds the table.
constexpr std::uint64_t kUsualWords = std::uint64_t{1} << 26U;  // of each rank
constexpr std::uint64_t kShareOfMemory = 4;
// Memory of a rank for queues, buckets and the blocks of the check, without the table.
constexpr Bytes kBeside = 16_MiB;
// Assumed, to estimate how long a run takes; it enters no result.
constexpr double kUpdatesPerSecond = 40e6;
constexpr double kPasses = 2.5;  // the updates, the check, filling the table
constexpr double kStart = 1.0;
constexpr double kRunsOfExperiment =
    20.0;  // four roles: one run alone, three dropped, six with twice the time

std::uint64_t usual_words(const StudyMachine& machine) {
  const std::uint64_t affordable = machine.memory_a_rank.value() / kShareOfMemory / sizeof(std::uint64_t);
  const std::uint64_t each = std::min(kUsualWords, affordable);
  return std::bit_floor(std::max<std::uint64_t>(1, each * static_cast<std::uint64_t>(machine.site.ranks)));
}

Error not_a_power(std::uint64_t words) {
  const std::uint64_t below = std::bit_floor(words);
  return {"usage", "a table of " + std::to_string(words) + " words is not a power of two",
          "take " + std::to_string(below) + " or " + std::to_string(2 * below)};
}

std::string in_mebibytes(Bytes size) {
  return std::to_string(size.value() >> 20U) + " MiB";
}

/// What the fullest rank holds.
Bytes memory_of(std::uint64_t words, int ranks) {
  const auto parts = static_cast<std::uint64_t>(ranks);
  return Bytes((words + parts - 1) / parts * sizeof(std::uint64_t)) + kBeside;
}

Status check_memory(std::uint64_t words, const StudyMachine& machine) {
  const Bytes needed = memory_of(words, machine.site.ranks);
  if (needed <= machine.memory_a_rank) return Done{};
  return Error{"memory",
               "a table of " + in_mebibytes(Bytes(words * sizeof(std::uint64_t))) + " takes " +
                   in_mebibytes(needed) + " of each of " + job::counted(machine.site.ranks, "rank") +
                   ", and " + in_mebibytes(machine.memory_a_rank) + " are free for each",
               "give a smaller --table, or more nodes"};
}

Status check_words(std::uint64_t words, const StudyMachine& machine) {
  if (!std::has_single_bit(words)) return not_a_power(words);
  return check_memory(words, machine);
}

/// The machine as this run may use it.
Site site_for(const StudyOptions& options, const MappingMode& mode, const StudyMachine& machine) {
  Site site = machine.site;
  site.limit = {options.look_ahead, mode.limit_of_node};
  site.placement.node_generates = mode.generation_of_node;
  site.grid = options.grid;
  site.table_of_node = mode.table_of_node;
  site.routers = options.routers;
  return site;
}

/// Whether ranks have roles that an experiment could leave out or delay.
Status check_roles(const Algorithm& algorithm, const Site& site) {
  if (algorithm.has_routers && site.per_node > 1) return Done{};
  const std::string why =
      algorithm.has_routers ? "with one rank on each node, that rank has all of them"
                            : "all ranks of the algorithm '" + std::string(algorithm.name) + "' do the same";
  return Error{"usage", "there are no roles to compare: " + why,
               "take the algorithm specialise, with several ranks on each node"};
}

/// The advice where the experiment, which has one algorithm, cannot run as asked for.
std::string advice_for_roles(const Site& site) {
  if (!site.table_of_node) return "give --mapping-mode 5, 6, 7 or 8";
  return site.per_node == 0 ? "start as many ranks on each node"
                            : "give fewer --routers, or more --look-ahead";
}

Result<const Algorithm*> algorithm_for(const StudyOptions& options, const Site& site) {
  auto chosen = choose_algorithm(options.algorithm, site);
  if (!options.bottleneck) return chosen;
  if (!chosen) {
    Error error = chosen.error();
    const Algorithm* asked = Algorithms::find(options.algorithm);
    const std::string reason = asked == nullptr ? "" : asked->unsupported_reason(site);
    if (!reason.empty() && error.what.ends_with(reason)) error.next = advice_for_roles(site);
    return error;
  }
  if (const Status roles = check_roles(*chosen.value(), site); !roles) return roles.error();
  return chosen;
}

std::vector<job::Choice> choices_of(const StudyOptions& options, const StudyPlan& plan) {
  std::vector<job::Choice> choices;
  if (!options.words) {
    choices.push_back({"table", std::to_string(plan.words) + " words",
                       "a quarter of the free memory, at most 512 MiB a rank"});
  }
  if (options.algorithm.empty()) {
    const std::string suits = options.grid.empty() ? "these ranks" : "this grid";
    choices.push_back({"algorithm", std::string(plan.algorithm->name), "the best one for " + suits});
  }
  if (plan.effort.repetitions < options.effort.repetitions) {
    choices.push_back(
        {"repeat", std::to_string(plan.effort.repetitions), "a part without updates has no rate"});
  }
  if (options.grid.empty() && !plan.grid.empty()) {
    choices.push_back({"grid", grid_text(plan.grid), "few dimensions, short lines"});
  }
  return choices;
}

double estimated_seconds(const StudyPlan& plan) {
  const double work = static_cast<double>(plan.updates) + static_cast<double>(plan.words);
  const double runs = plan.bottleneck ? kRunsOfExperiment : 1.0;
  return kStart + runs * kPasses * work / (kUpdatesPerSecond * static_cast<double>(plan.ranks));
}

}  // namespace

Result<StudyPlan> study_plan(const StudyOptions& options, const StudyMachine& machine) {
  if (!options.extra_load.role.empty() && !options.bottleneck) {
    return Error{"usage", "--burden has no effect without the experiment that shall find it",
                 "add --experiment bottleneck"};
  }
  const auto mode = mapping_mode(options.mapping_mode);
  if (!mode) return mode.error();
  const Site site = site_for(options, mode.value(), machine);
  const auto algorithm = algorithm_for(options, site);
  if (!algorithm) return algorithm.error();
  const std::uint64_t words = options.words.value_or(usual_words(machine));
  if (const Status status = check_words(words, machine); !status) return status.error();
  const auto updates = options.updates.of(words);
  if (!updates) return updates.error();
  StudyPlan plan{.ranks = site.ranks,
                 .algorithm = algorithm.value(),
                 .grid = algorithm.value()->grid_on(site),
                 .routers = site.routers,
                 .mode = mode.value(),
                 .words = words,
                 .updates = std::max<std::uint64_t>(1, updates.value()),
                 .generator = options.generator,
                 .owner = options.owner,
                 .look_ahead = options.look_ahead,
                 .bottleneck = options.bottleneck,
                 .extra_load = options.extra_load,
                 .seed = options.seed,
                 .effort = options.effort,
                 .memory_per_rank = memory_of(words, site.ranks),
                 .choices = {}};
  // Each rank has an update in each part.
  const std::uint64_t parts =
      std::max<std::uint64_t>(1, plan.updates / static_cast<std::uint64_t>(plan.ranks));
  if (parts < plan.effort.repetitions) plan.effort.repetitions = static_cast<std::uint32_t>(parts);
  plan.choices = choices_of(options, plan);
  return plan;
}

StudyMachine assumed_machine(int ranks, int nodes, Bytes memory_of_node) {
  const int most = (ranks + nodes - 1) / nodes;
  const bool is_even = ranks % nodes == 0;
  return {.site = {.ranks = ranks,
                   .one_node = nodes == 1,
                   .per_node = is_even ? most : 0,
                   .placement = {.nodes = spread_nodes(ranks, nodes)}},
          .memory_a_rank = memory_of_node / static_cast<std::uint64_t>(most)};
}

Json to_json(const StudyPlan& plan) {
  return JsonObject()
      .add("tests", std::vector<std::string>{"random_access"})
      .add("algorithm", plan.algorithm->name)
      .add("grid", plan.grid)
      .add("routers", plan.routers)
      .add("mapping_mode", plan.mode.number)
      .add("table_words", plan.words)
      .add("updates", plan.updates)
      .add("generator", plan.generator == Generator::kPolynomial ? "polynomial" : "lcg")
      .add("owner", plan.owner == OwnerRule::kDivision ? "division" : "prediction")
      .add("look_ahead", plan.look_ahead)
      .add("repetitions", plan.effort.repetitions)
      .add("budget", plan.effort.budget.value())
      .add("memory_per_rank", plan.memory_per_rank.value())
      .add("estimated_seconds", JsonObject().add("random_access", estimated_seconds(plan)).json())
      .add("choices", to_json(plan.choices))
      .json();
}

}  // namespace groma::randomaccess
