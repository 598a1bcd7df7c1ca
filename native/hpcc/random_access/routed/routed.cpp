// Algorithms that pass updates in messages along a topology: direct, hypercube, grid.
#include <utility>

#include "hpcc/random_access/algorithm.hpp"
#include "hpcc/random_access/routed/exchange.hpp"

namespace groma::hpcc::random_access {
namespace {

class Routed final : public Updater {
 public:
  Routed(const Setup& setup, const Topology& topology)
      : exchange_{setup, setup.workers.grouped(setup.threads), route_of(topology, setup.world.rank()),
                  setup.world.duplicate()} {}

  void apply(Section section) override { held_.note(exchange_by_messages(exchange_, section).most()); }
  [[nodiscard]] std::uint64_t most_pending() const override { return held_.most(); }

 private:
  MessageExchange exchange_;
  LookAhead held_;
};

template <Topology (*topology)(int ranks)>
Result<std::unique_ptr<Updater>> make(const Setup& setup) {
  return std::unique_ptr<Updater>(std::make_unique<Routed>(setup, topology(setup.world.size())));
}

template <Topology (*topology)(int ranks)>
bool can_run(const Site& site) {
  return bucket_size(static_cast<std::uint64_t>(topology(site.ranks).most_links), kLookAhead) > 0;
}

Topology grid_of(int ranks) {
  return grid_topology(grid_shape(ranks));
}

// Up to here messages of the direct way hold enough updates to be worth their cost.
constexpr int kFewRanks = 16;

const AlgorithmRegistration kDirect({
    .name = "direct",
    .number = 20,
    .what = "messages to every owner, a bucket for each",
    .can_run = can_run<direct_topology>,
    .merit = [](const Site& site) { return site.ranks <= kFewRanks ? 50 : 10; },
    .make = make<direct_topology>,
});

const AlgorithmRegistration kHypercube({
    .name = "hypercube",
    .number = 21,
    .what = "messages along the dimensions of a hypercube, any number of ranks",
    .can_run = can_run<hypercube_topology>,
    .merit = [](const Site& /*site*/) { return 30; },
    .make = make<hypercube_topology>,
});

const AlgorithmRegistration kGrid({
    .name = "grid",
    .number = 22,
    .what = "messages along the lines of a grid of ranks, dimension after dimension",
    .can_run = can_run<grid_of>,
    .merit = [](const Site& site) { return grid_of(site.ranks).most_links <= 2 * kFewRanks ? 40 : 5; },
    .make = make<grid_of>,
});

}  // namespace
}  // namespace groma::hpcc::random_access
