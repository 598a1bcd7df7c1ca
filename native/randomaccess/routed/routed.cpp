// Algorithms that pass updates in messages along a topology: direct, hypercube, route.

#include <utility>

#include "randomaccess/algorithm.hpp"
#include "randomaccess/routed/exchange.hpp"

namespace groma::randomaccess {
namespace {

class Routed final : public Updater {
 public:
  Routed(const Setup& setup, const Topology& topology, Shares shares)
      : exchange_{setup, setup.workers.grouped(setup.threads), route_of(topology, setup.world.rank()),
                  std::move(shares), setup.world.duplicate()} {}

  void apply(Section section) override {
    const bool in_turns = exchange_.shares.pools.empty();
    done_.add(in_turns ? exchange_in_turns(exchange_, section) : exchange_in_pools(exchange_, section));
  }
  [[nodiscard]] Activity activity() const override { return done_; }

 private:
  MessageExchange exchange_;
  Activity done_;
};

/// The topology of so many ranks, along a grid where there is one.
using Layout = Topology (*)(int ranks, const std::vector<int>& grid);

Topology direct(int ranks, const std::vector<int>& /*grid*/) {
  return direct_topology(ranks);
}
Topology hypercube(int ranks, const std::vector<int>& /*grid*/) {
  return hypercube_topology(ranks);
}
Topology route(int /*ranks*/, const std::vector<int>& grid) {
  return grid_topology(grid);
}

std::vector<int> grid_on(const Site& site) {
  return site.grid.empty() ? grid_shape(site.ranks, site.per_node) : site.grid;
}

template <Layout layout>
Result<std::unique_ptr<Updater>> make(const Setup& setup) {
  return updater_along(setup, layout(setup.world.size(), setup.grid));
}

template <Layout layout>
std::string unsupported_reason(const Site& site) {
  const Topology topology = layout(site.ranks, grid_on(site));
  if (topology.most_links == 0 || shares_of(topology, 0, site.limit, site.placement).bucket > 0) return "";
  return std::to_string(topology.most_links) +
         " peers of a rank leave no room for a bucket of each in a look-ahead of " +
         std::to_string(site.limit.updates) + (site.limit.of_node ? " of a node" : "");
}

int links_along_grid(const Site& site) {
  return grid_topology(grid_on(site)).most_links;
}

// Up to here messages of the direct way hold enough updates to be worth their cost.
constexpr int kFewRanks = 16;

const AlgorithmRegistration kDirect({
    .name = "direct",
    .number = 20,
    .what = "messages to every owner, a bucket for each",
    .unsupported_reason = unsupported_reason<direct>,
    .priority = [](const Site& site) { return site.ranks <= kFewRanks ? 50 : 10; },
    .make = make<direct>,
});

const AlgorithmRegistration kHypercube({
    .name = "hypercube",
    .number = 21,
    .what = "messages along the dimensions of a hypercube, any number of ranks",
    .unsupported_reason = unsupported_reason<hypercube>,
    .priority = [](const Site& /*site*/) { return 30; },
    .make = make<hypercube>,
});

const AlgorithmRegistration kRoute({
    .name = "route",
    .number = 22,
    .what = "messages along the lines of a grid of ranks, dimension after dimension",
    .unsupported_reason = unsupported_reason<route>,
    .priority = [](const Site& site) { return links_along_grid(site) <= 2 * kFewRanks ? 40 : 5; },
    .make = make<route>,
    .grid = grid_on,
});

}  // namespace

std::unique_ptr<Updater> updater_along(const Setup& setup, const Topology& topology) {
  return updater_along(setup, topology,
                       shares_of(topology, setup.world.rank(), setup.limit, setup.placement));
}

std::unique_ptr<Updater> updater_along(const Setup& setup, const Topology& topology, Shares shares) {
  return std::make_unique<Routed>(setup, topology, std::move(shares));
}

}  // namespace groma::randomaccess
