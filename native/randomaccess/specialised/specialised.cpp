#include "randomaccess/specialised/specialised.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "mpi/shared_parts.hpp"
#include "mpi/wait.hpp"
#include "randomaccess/routed/exchange.hpp"
#include "randomaccess/specialised/rank_context.hpp"

namespace groma::randomaccess {
namespace {

/// Along dimensions of one node nothing is routed.
std::vector<int> without_single_nodes(std::vector<int> grid) {
  std::erase(grid, 1);
  return grid;
}

/// With `routers` that route, as asked for; 0: as many as usual.
Roles roles_of(int ranks, int routers, const std::vector<int>& grid, const Allowance& allowance) {
  if (routers == 0) return usual_roles(ranks, grid, allowance);
  return {ranks, routers, static_cast<int>(grid.size())};
}

std::string too_many_routers(int routers, int ranks) {
  return std::to_string(routers) + " of " + std::to_string(ranks) +
         " ranks of a node cannot route: at least one has to update";
}

std::string too_low_limit(const Allowance& allowance) {
  return "a look-ahead of " + std::to_string(allowance.updates) +
         " leaves no room for the buckets and queues of a " + (allowance.of_node ? "node" : "rank");
}

/// Any of its queues has room for all that the queues of a rank may hold.
std::uint64_t queue_capacity(const Budget& budget) {
  return std::bit_ceil(budget.queues);
}

std::size_t bytes_of_queues(const Roles& roles, int rank, const Budget& budget) {
  return roles.targets(rank).size() * SpscQueue::bytes(queue_capacity(budget));
}

/// Writes a word of each page as it is: pages lie on the NUMA node of the rank that writes them first.
void touch_first(std::span<std::uint64_t> words) {
  constexpr std::size_t kWordsOfPage = 4096 / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < words.size(); i += kWordsOfPage) {
    volatile std::uint64_t& word = words[i];
    word = word;
  }
}

class Specialised final : public Updater {
 public:
  static Result<std::unique_ptr<Updater>> make(const Setup& setup, Team team) {
    const Roles roles = roles_of(team.node.size(), team.routers, team.grid, setup.limit);
    auto budgets = budgets_of(roles, team.grid, setup.limit);
    if (budgets.empty()) return Error{"usage", too_low_limit(setup.limit), "allow more"};
    const int rank = team.node.rank();
    const Bytes size(bytes_of_queues(roles, rank, budgets[static_cast<std::size_t>(rank)]));
    auto queues = mpi::SharedParts::allocate(team.node, size);
    const Status status = setup.world.agree(queues ? Status(Done{}) : Status(queues.error()));
    if (!status) return status.error();
    return std::unique_ptr<Updater>(
        new Specialised(setup, std::move(team), roles, budgets, std::move(queues).value()));
  }

  void apply(Section section) override {
    ++use_;
    const auto sections = gathered(section);
    // What the ranks wrote into their words before is seen by those that update them, and back again.
    memory_.synchronize();
    done_.add(context_.roles.updates(context_.rank) ? apply_updates(context_, use_)
                                                    : route_updates(context_, sections, use_));
    memory_.synchronize();
    // Nor does a message of what comes next meet a receive of now.
    mpi::barrier(messages_, mpi::WaitPolicy::kYield);
    memory_.synchronize();
  }

  [[nodiscard]] Activity activity() const override { return done_; }
  [[nodiscard]] std::string role() const override { return context_.roles.name(context_.rank); }

 private:
  Specialised(const Setup& setup, Team team, const Roles& roles, const std::vector<Budget>& budgets,
              mpi::SharedParts memory)
      : node_(std::move(team.node)),
        messages_(setup.world.duplicate()),
        memory_(std::move(memory)),
        context_(context_for(setup, std::move(team), roles, budgets)) {
    std::ranges::fill(memory_.of<std::byte>(node_.rank()), std::byte{0});
    if (context_.roles.updates(context_.rank)) touch_first(context_.own_words());
    memory_.synchronize();
    node_.barrier();
    memory_.synchronize();
  }

  [[nodiscard]] RankContext context_for(const Setup& setup, Team team, const Roles& roles,
                                        const std::vector<Budget>& budgets) const {
    const int rank = node_.rank();
    const int node = messages_.rank() / node_.size();
    const auto parts = static_cast<std::uint64_t>(node_.size()) * setup.threads;
    Route route = route_of(grid_topology(team.grid), node);
    return {.messages = messages_,
            .generator = setup.generator,
            .owner = setup.owner,
            .roles = roles,
            .rank = rank,
            .grid = std::move(team.grid),
            .nodes = setup.workers.grouped(parts),
            .node = node,
            .route = std::move(route),
            .table = setup.node_table,
            .split = Split(setup.node_table.size(), static_cast<std::uint64_t>(roles.updaters())),
            .budget = budgets[static_cast<std::size_t>(rank)],
            .perturbation = team.perturbation,
            .to = queues_from(roles, rank, budgets),
            .from = queues_to(roles, rank, budgets)};
  }

  /// Queues lie with the rank that writes them.
  [[nodiscard]] std::vector<SpscQueue> queues_from(const Roles& roles, int rank,
                                                   const std::vector<Budget>& budgets) const {
    std::vector<SpscQueue> queues;
    std::byte* memory = memory_.of<std::byte>(rank).data();
    const std::uint64_t capacity = queue_capacity(budgets[static_cast<std::size_t>(rank)]);
    for (std::size_t left = roles.targets(rank).size(); left > 0; --left) {
      queues.emplace_back(memory, capacity);
      memory += SpscQueue::bytes(capacity);
    }
    return queues;
  }

  [[nodiscard]] std::vector<SpscQueue> queues_to(const Roles& roles, int rank,
                                                 const std::vector<Budget>& budgets) const {
    std::vector<SpscQueue> queues;
    for (const int source : roles.sources(rank)) {
      const auto targets = roles.targets(source);
      const auto which = std::ranges::find(targets, rank) - targets.begin();
      queues.push_back(queues_from(roles, source, budgets)[static_cast<std::size_t>(which)]);
    }
    return queues;
  }

  /// This rank's parts of what the ranks of the node brought; as many ranks generate as there are lanes.
  [[nodiscard]] std::vector<Section> gathered(Section section) const {
    const auto firsts = node_.gather_to_all(section.first);
    const auto counts = node_.gather_to_all(section.count);
    std::vector<Section> own;
    if (!context_.roles.stages(context_.rank).has(0)) return own;
    const auto lane = static_cast<std::uint64_t>(context_.roles.lane(context_.rank));
    for (std::size_t rank = 0; rank < firsts.size(); ++rank) {
      own.push_back(
          part_of({firsts[rank], counts[rank]}, lane, static_cast<std::uint64_t>(context_.roles.lanes())));
    }
    return own;
  }

  mpi::Communicator node_;
  mpi::Communicator messages_;
  mpi::SharedParts memory_;
  RankContext context_;
  std::uint64_t use_ = 0;
  Activity done_;
};

int nodes_of(const Site& site) {
  return site.per_node == 0 ? 1 : site.ranks / site.per_node;
}

/// None on one node; else as asked for, or few dimensions and short lines.
std::vector<int> grid_on(const Site& site) {
  if (!site.grid.empty()) return site.grid;
  const int nodes = nodes_of(site);
  return nodes == 1 ? std::vector<int>{} : grid_shape(nodes);
}

std::string unsupported_roles(const Site& site) {
  if (site.routers >= site.per_node) return too_many_routers(site.routers, site.per_node);
  const std::vector<int> grid = without_single_nodes(grid_on(site));
  const Roles roles = roles_of(site.per_node, site.routers, grid, site.limit);
  return budgets_of(roles, grid, site.limit).empty() ? too_low_limit(site.limit) : "";
}

std::string unsupported_reason(const Site& site) {
  if (site.per_node == 0) return "every node must have the same number of consecutive ranks";
  if (site.per_node == 1) return site.routers <= 1 ? "" : too_many_routers(site.routers, 1);
  if (!site.table_of_node) return "the ranks of a node must share a table: mapping modes 5 to 8";
  return unsupported_roles(site);
}

Result<std::unique_ptr<Updater>> make_on_nodes(const Setup& setup) {
  return make_specialised(setup, {setup.world.split_by_node(), setup.routers, setup.grid, {}});
}

const AlgorithmRegistration kSpecialised({
    .name = "specialise",
    .number = 30,
    .what = "some ranks of a node generate and route, the others update the node's table",
    .unsupported_reason = unsupported_reason,
    .priority = [](const Site& /*site*/) { return 1; },
    .make = make_on_nodes,
    .grid = grid_on,
    .places = nodes_of,
    .has_routers = true,
});

}  // namespace

Roles roles_on(const Setup& setup, int ranks) {
  return roles_of(ranks, setup.routers, without_single_nodes(setup.grid), setup.limit);
}

Result<std::unique_ptr<Updater>> make_specialised(const Setup& setup, Team team) {
  if (team.node.size() == 1) {
    if (team.grid.empty()) team.grid = {setup.world.size()};
    return updater_along(setup, grid_topology(team.grid));
  }
  if (team.routers >= team.node.size()) {
    return Error{"usage", too_many_routers(team.routers, team.node.size()), "give fewer"};
  }
  team.grid = without_single_nodes(std::move(team.grid));
  return Specialised::make(setup, std::move(team));
}

}  // namespace groma::randomaccess
