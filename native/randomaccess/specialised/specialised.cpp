#include "randomaccess/specialised/specialised.hpp"

#include <algorithm>
#include <utility>

#include "mpi/shared_parts.hpp"
#include "randomaccess/routed/exchange.hpp"
#include "randomaccess/specialised/post.hpp"

namespace groma::randomaccess {
namespace {

/// Along dimensions of one node nothing is routed.
std::vector<int> without_single_nodes(std::vector<int> grid) {
  std::erase(grid, 1);
  return grid;
}

Roles roles_of(const Team& team) {
  const int dimensions = static_cast<int>(team.grid.size());
  const int ranks = team.node.size();
  return {ranks, team.routers == 0 ? usual_routers(ranks, dimensions) : team.routers, dimensions};
}

std::string too_many_routers(int routers, int ranks) {
  return std::to_string(routers) + " of " + std::to_string(ranks) +
         " ranks of a node cannot route: at least one has to update";
}

std::string too_low_limit(std::uint64_t limit) {
  return "a look-ahead of " + std::to_string(limit) + " leaves no room for the buckets and queues of a rank";
}

std::size_t bytes_of_queues(const Roles& roles, int rank, const Budget& budget) {
  return roles.targets(rank).size() * UpdateQueue::bytes(budget.queue);
}

class Specialised final : public Updater {
 public:
  static Result<std::unique_ptr<Updater>> make(const Setup& setup, Team team) {
    const Roles roles = roles_of(team);
    const Budget budget = budget_of(roles, team.grid, setup.limit);
    if (budget.bucket == 0) return Error{"usage", too_low_limit(setup.limit), "allow more"};
    const Bytes size(bytes_of_queues(roles, team.node.rank(), budget));
    auto queues = mpi::SharedParts::allocate(team.node, size);
    const Status status = setup.world.agree(queues ? Status(Done{}) : Status(queues.error()));
    if (!status) return status.error();
    return std::unique_ptr<Updater>(
        new Specialised(setup, std::move(team), roles, budget, std::move(queues).value()));
  }

  void apply(Section section) override {
    ++use_;
    const auto sections = gathered(section);
    // What the ranks wrote into their words before is seen by those that update them, and back again.
    memory_.synchronize();
    done_.add(post_.roles.updates(post_.rank) ? apply_updates(post_, use_)
                                              : route_updates(post_, sections, use_));
    memory_.synchronize();
    messages_.barrier();  // nor does a message of what comes next meet a receive of now
    memory_.synchronize();
  }

  [[nodiscard]] Activity activity() const override { return done_; }
  [[nodiscard]] std::string role() const override { return post_.roles.name(post_.rank); }

 private:
  Specialised(const Setup& setup, Team team, const Roles& roles, const Budget& budget,
              mpi::SharedParts memory)
      : node_(std::move(team.node)),
        messages_(setup.world.duplicate()),
        memory_(std::move(memory)),
        post_(post_for(setup, std::move(team.grid), roles, budget)) {
    std::ranges::fill(memory_.of<std::byte>(node_.rank()), std::byte{0});
    memory_.synchronize();
    node_.barrier();
    memory_.synchronize();
  }

  [[nodiscard]] Post post_for(const Setup& setup, std::vector<int> grid, const Roles& roles,
                              const Budget& budget) const {
    const int rank = node_.rank();
    const int node = messages_.rank() / node_.size();
    const auto parts = static_cast<std::uint64_t>(node_.size()) * setup.threads;
    Route route = route_of(grid_topology(grid), node);
    return {.messages = messages_,
            .generator = setup.generator,
            .owner = setup.owner,
            .roles = roles,
            .rank = rank,
            .grid = std::move(grid),
            .nodes = setup.workers.grouped(parts),
            .node = node,
            .route = std::move(route),
            .table = setup.node_table,
            .split = Split(setup.node_table.size(), static_cast<std::uint64_t>(roles.updaters())),
            .budget = budget,
            .to = queues_from(roles, rank, budget),
            .from = queues_to(roles, rank, budget)};
  }

  /// Queues lie with the rank that writes them.
  [[nodiscard]] std::vector<UpdateQueue> queues_from(const Roles& roles, int rank,
                                                     const Budget& budget) const {
    std::vector<UpdateQueue> queues;
    std::byte* memory = memory_.of<std::byte>(rank).data();
    for (std::size_t left = roles.targets(rank).size(); left > 0; --left) {
      queues.emplace_back(memory, budget.queue);
      memory += UpdateQueue::bytes(budget.queue);
    }
    return queues;
  }

  [[nodiscard]] std::vector<UpdateQueue> queues_to(const Roles& roles, int rank, const Budget& budget) const {
    std::vector<UpdateQueue> queues;
    for (const int source : roles.sources(rank)) {
      const auto targets = roles.targets(source);
      const auto which = std::ranges::find(targets, rank) - targets.begin();
      queues.push_back(queues_from(roles, source, budget)[static_cast<std::size_t>(which)]);
    }
    return queues;
  }

  /// This rank's parts of what the ranks of the node brought; as many ranks generate as there are lanes.
  [[nodiscard]] std::vector<Section> gathered(Section section) const {
    const auto firsts = node_.gather_to_all(section.first);
    const auto counts = node_.gather_to_all(section.count);
    std::vector<Section> own;
    if (!post_.roles.stages(post_.rank).has(0)) return own;
    const auto lane = static_cast<std::uint64_t>(post_.roles.lane(post_.rank));
    for (std::size_t rank = 0; rank < firsts.size(); ++rank) {
      own.push_back(
          part_of({firsts[rank], counts[rank]}, lane, static_cast<std::uint64_t>(post_.roles.lanes())));
    }
    return own;
  }

  mpi::Communicator node_;
  mpi::Communicator messages_;
  mpi::SharedParts memory_;
  Post post_;
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

std::string hindrance_of_roles(const Site& site) {
  const std::vector<int> grid = without_single_nodes(grid_on(site));
  const int dimensions = static_cast<int>(grid.size());
  const int routers = site.routers == 0 ? usual_routers(site.per_node, dimensions) : site.routers;
  if (routers >= site.per_node) return too_many_routers(routers, site.per_node);
  const Roles roles(site.per_node, routers, dimensions);
  return budget_of(roles, grid, site.limit).bucket == 0 ? too_low_limit(site.limit) : "";
}

std::string hindrance(const Site& site) {
  if (site.per_node == 0) return "its nodes must have as many ranks each, neighbours of each other";
  if (site.per_node == 1) return site.routers <= 1 ? "" : too_many_routers(site.routers, 1);
  if (!site.table_of_node) return "its tables must be those of nodes: mapping modes 5 to 8";
  return hindrance_of_roles(site);
}

Result<std::unique_ptr<Updater>> make_on_nodes(const Setup& setup) {
  return make_specialised(setup, {setup.world.split_by_node(), setup.routers, setup.grid});
}

const AlgorithmRegistration kSpecialised({
    .name = "specialise",
    .number = 30,
    .what = "some ranks of a node generate and route, the others update the node's table",
    .hindrance = hindrance,
    .merit = [](const Site& /*site*/) { return 1; },
    .make = make_on_nodes,
    .grid = grid_on,
    .places = nodes_of,
    .has_routers = true,
});

}  // namespace

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
