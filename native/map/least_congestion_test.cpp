#include "map/least_congestion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <variant>

#include "base/random.hpp"
#include "map/congestion.hpp"
#include "map/problem.hpp"
#include "testing/drawn_traffic.hpp"

namespace groma::map {
namespace {

using Routed = std::variant<Lattice, Tree>;

struct Machine {
  std::string name;
  Routed target;
};

std::vector<Machine> machines() {
  return {{"torus", Lattice({3, 3}, true)},
          {"torus with ways of equal length", Lattice({4, 2}, true)},
          {"ring", Lattice({7}, true)},
          {"mesh", Lattice({4, 2}, false)},
          {"line", Lattice({6}, false)},
          {"tree", Tree({2, 2, 2}, {6.0, 4.0, 2.0})},
          {"tree with free links", Tree({3, 3}, {5.0, 0.0})},
          {"tree of one branch", Tree({1, 2, 4}, {6.0, 4.0, 2.0})}};
}

std::size_t places_of(const Routed& target) {
  return std::visit([](const auto& one) { return one.places(); }, target);
}

double busiest(const Routed& target, const TrafficGraph& graph, const Mapping& mapping) {
  return std::visit([&](const auto& one) { return busiest_link(one, graph, mapping); }, target);
}

LeastCongestion searched(const Routed& target, const TrafficGraph& graph, const std::vector<Place>& allowed,
                         const Mapping& known) {
  return std::visit([&](const auto& one) { return least_congestion(one, graph, allowed, known); }, target);
}

std::vector<Place> all_places(std::size_t count) {
  std::vector<Place> places(count);
  std::iota(places.begin(), places.end(), Place{0});
  return places;
}

/// The least busy link of all mappings, one after the other.
double least_of_all(const Routed& target, const TrafficGraph& graph, const std::vector<Place>& allowed) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<Place> order = allowed;
  do {
    const Mapping mapping(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(graph.ranks()));
    least = std::min(least, busiest(target, graph, mapping));
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(graph.ranks()), order.end());
  } while (std::ranges::next_permutation(order).found);
  return least;
}

void expect_the_least(const Machine& machine, const TrafficGraph& graph, const std::vector<Place>& allowed) {
  const Mapping known(allowed.begin(), allowed.begin() + static_cast<std::ptrdiff_t>(graph.ranks()));
  const LeastCongestion found = searched(machine.target, graph, allowed, known);
  const double least = least_of_all(machine.target, graph, allowed);
  const std::string what = machine.name + ", " + std::to_string(graph.ranks()) + " ranks";
  EXPECT_NEAR(busiest(machine.target, graph, found.mapping), least, 1e-9 * least) << what;
  EXPECT_NEAR(found.at_least, least, 1e-9 * least) << what;
  const std::set<Place> used(found.mapping.begin(), found.mapping.end());
  EXPECT_EQ(used.size(), graph.ranks());
  EXPECT_TRUE(std::ranges::includes(allowed, used));
}

TEST(LeastCongestion, IsThatOfAllMappings) {
  RandomStream random(11);
  for (int round = 0; round < 40; ++round) {
    for (const Machine& machine : machines()) {
      const std::size_t ranks = 2 + random.below(4);
      const TrafficGraph graph = drawn_traffic(ranks, random);
      expect_the_least(machine, graph, drawn_places(places_of(machine.target), ranks, random));
    }
  }
}

TEST(LeastCongestion, IsThatOfAllMappingsOnAllPlaces) {
  RandomStream random(12);
  for (const Machine& machine : machines()) {
    const std::size_t places = places_of(machine.target);
    if (places > 8) continue;
    expect_the_least(machine, drawn_traffic(places, random), all_places(places));
  }
}

TEST(LeastCongestion, IsKnownOfManyRanksWhereTheyAreAlike) {
  // A master and 19 workers: 20! mappings.
  std::vector<Traffic> traffic;
  for (Rank worker = 1; worker < 20; ++worker) {
    traffic.push_back({0, worker, 100.0});
    traffic.push_back({worker, 0, 900.0});
  }
  const TrafficGraph graph(20, traffic);
  const Lattice torus({5, 4}, true);
  const LeastCongestion found = least_congestion(torus, graph, all_places(20), all_places(20));
  EXPECT_DOUBLE_EQ(found.at_least, 9000.0) << "ten workers are as near, or nearer, by one link";
}

TEST(LeastCongestion, IsKnownWhereEachNeighbourHasALink) {
  std::vector<Traffic> traffic;
  const Lattice torus({8, 8}, true);
  for (Place place = 0; place < 64; ++place) {
    for (const Place other : torus.neighbours(place)) traffic.push_back({place, other, 7.0});
  }
  const LeastCongestion found =
      least_congestion(torus, TrafficGraph(64, traffic), all_places(64), all_places(64));
  EXPECT_DOUBLE_EQ(found.at_least, 7.0);
}

TEST(LeastCongestion, IsABoundWhereTheWorkIsTooMuch) {
  RandomStream random(4);
  for (const Machine& machine :
       {Machine{"mesh", Lattice({6, 5}, false)}, {"tree", Tree({6, 5}, {4.0, 2.0})}}) {
    const TrafficGraph graph = drawn_traffic(30, random);
    const LeastCongestion found = searched(machine.target, graph, all_places(30), all_places(30));
    EXPECT_GT(found.at_least, 0.0);
    EXPECT_LT(found.at_least, busiest(machine.target, graph, found.mapping)) << machine.name;
  }
}

TEST(Mapping, TellsHowLittleTheBusiestLinkCanCarryWhereThatIsTheObjective) {
  const std::string ring = "places torus 4\ntraffic 0 1 1\ntraffic 1 2 1\ntraffic 2 3 1\ntraffic 3 0 1\n";
  EXPECT_EQ(solve(parse_problem(ring + "objective congestion\n").value()).least_congestion, 1.0);
  EXPECT_EQ(solve(parse_problem(ring).value()).least_congestion, std::nullopt);
}

}  // namespace
}  // namespace groma::map
