#include "map/branch_and_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "map/assignment.hpp"
#include "map/problem.hpp"
#include "testing/drawn_traffic.hpp"

namespace groma::map {
namespace {

/// A machine and how to draw distances for it.
struct Machine {
  std::string name;
  Target target;
};

/// Nodes of `cores` each, so far apart that a node is worth filling.
Target nodes_of(std::size_t nodes, std::size_t cores) {
  const std::size_t places = nodes * cores;
  std::vector<double> rows;
  for (std::size_t one = 0; one < places; ++one) {
    for (std::size_t other = 0; other < places; ++other) {
      rows.push_back(one == other ? 0.0 : one / cores == other / cores ? 1.0 : 7.0);
    }
  }
  return Distances(places, rows);
}

/// Any distances, and others back than there.
Target drawn_distances(std::size_t places, RandomStream& random) {
  std::vector<double> rows(places * places);
  for (double& distance : rows) distance = static_cast<double>(random.below(10));
  return Distances(places, rows);
}

std::vector<Machine> machines(RandomStream& random) {
  return {{"torus", Lattice({3, 3}, true)},
          {"torus of unequal sides", Lattice({4, 2}, true)},
          {"mesh", Lattice({4, 2}, false)},
          {"line", Lattice({7}, false)},
          {"tree", Tree({2, 2, 2}, {6.0, 4.0, 2.0})},
          {"tree with free links", Tree({3, 3}, {5.0, 0.0})},
          {"nodes", nodes_of(3, 3)},
          {"distances", drawn_distances(8, random)}};
}

/// The least hop-bytes of all mappings, one after the other.
class BruteForce {
 public:
  BruteForce(const Target& target, const TrafficGraph& graph, const std::vector<Place>& allowed)
      : target_(target), graph_(graph), allowed_(allowed), is_used_(allowed.size(), false) {}

  double least() {
    go(0.0);
    return least_;
  }

 private:
  void go(double cost) {
    if (mapping_.size() == graph_.ranks()) {
      least_ = std::min(least_, cost);
      return;
    }
    for (std::size_t at = 0; at < allowed_.size(); ++at) {
      if (is_used_[at]) continue;
      is_used_[at] = true;
      mapping_.push_back(allowed_[at]);
      go(cost + cost_of_last());
      mapping_.pop_back();
      is_used_[at] = false;
    }
  }

  [[nodiscard]] double cost_of_last() const {
    double cost = 0.0;
    for (const Arc& arc : graph_.arcs(static_cast<Rank>(mapping_.size() - 1))) {
      if (arc.to >= mapping_.size()) continue;
      cost += arc.bytes *
              std::visit([&](const auto& one) { return one.distance(mapping_.back(), mapping_[arc.to]); },
                         target_);
    }
    return cost;
  }

  const Target& target_;
  const TrafficGraph& graph_;
  const std::vector<Place>& allowed_;
  std::vector<bool> is_used_;
  Mapping mapping_;
  double least_ = std::numeric_limits<double>::infinity();
};

double cost_of(const Target& target, const TrafficGraph& graph, const Mapping& mapping) {
  return std::visit([&](const auto& one) { return hop_bytes(one, graph, mapping); }, target);
}

BoundedSearch searched(const Target& target, const TrafficGraph& graph, const std::vector<Place>& allowed) {
  const Mapping known(allowed.begin(), allowed.begin() + static_cast<std::ptrdiff_t>(graph.ranks()));
  return std::visit([&](const auto& one) { return branch_and_bound(one, graph, allowed, known); }, target);
}

void expect_the_least(const Machine& machine, const TrafficGraph& graph, const std::vector<Place>& allowed) {
  const BoundedSearch found = searched(machine.target, graph, allowed);
  EXPECT_TRUE(found.is_optimal) << machine.name;
  EXPECT_DOUBLE_EQ(cost_of(machine.target, graph, found.mapping),
                   BruteForce(machine.target, graph, allowed).least())
      << machine.name << ", " << graph.ranks() << " ranks on " << allowed.size() << " places";
  const std::set<Place> used(found.mapping.begin(), found.mapping.end());
  EXPECT_EQ(used.size(), graph.ranks());
  EXPECT_TRUE(std::ranges::includes(allowed, used));
}

TEST(BranchAndBound, FindsTheLeastHopBytesOfAllMappings) {
  RandomStream random(11);
  for (int round = 0; round < 40; ++round) {
    for (const Machine& machine : machines(random)) {
      const std::size_t ranks = 2 + random.below(5);
      const TrafficGraph graph = drawn_traffic(ranks, random);
      expect_the_least(machine, graph, drawn_places(places_of(machine.target), ranks, random));
    }
  }
}

TEST(BranchAndBound, FindsTheLeastHopBytesOfEightRanks) {
  RandomStream random(12);
  for (const Machine& machine : machines(random)) {
    if (places_of(machine.target) < 8) continue;
    expect_the_least(machine, drawn_traffic(8, random), drawn_places(places_of(machine.target), 8, random));
  }
}

TEST(BranchAndBound, PlacesAlsoRanksWithoutTraffic) {
  const TrafficGraph graph(6, {{1, 4, 10.0}, {4, 2, 1.0}});
  expect_the_least({"mesh", Lattice({4, 2}, false)}, graph, {0, 1, 2, 3, 6, 7});
}

TEST(BranchAndBound, ProvesManyPlacesThatAreAlike) {
  // 12 ranks on 16 nodes of 4 cores: 10^21 mappings.
  RandomStream random(3);
  std::vector<Traffic> traffic;
  for (Rank rank = 0; rank < 12; ++rank) {
    traffic.push_back({rank, (rank + 1) % 12, static_cast<double>(1 + random.below(50))});
    traffic.push_back({rank, static_cast<Rank>(random.below(12)), 5.0});
  }
  const Target target = nodes_of(16, 4);
  std::vector<Place> allowed(64);
  std::iota(allowed.begin(), allowed.end(), Place{0});
  EXPECT_TRUE(searched(target, TrafficGraph(12, traffic), allowed).is_optimal);
}

TEST(BranchAndBound, ClaimsNothingWhereTheWorkIsTooMuch) {
  RandomStream random(4);
  const TrafficGraph graph = drawn_traffic(30, random);
  const Lattice mesh({6, 5}, false);
  std::vector<Place> allowed(30);
  std::iota(allowed.begin(), allowed.end(), Place{0});
  const BoundedSearch found = branch_and_bound(mesh, graph, allowed, allowed);
  EXPECT_FALSE(found.is_optimal);
  EXPECT_LE(hop_bytes(mesh, graph, found.mapping), hop_bytes(mesh, graph, allowed));
}

TEST(BranchAndBound, ClaimsNothingOfCostsBeyondAllNumbers) {
  const TrafficGraph graph(3, {{0, 1, 1e300}, {1, 2, 1e300}});
  const Distances distances(3, {0, 1, 1e30, 1, 0, 1e30, 1e30, 1e30, 0});
  EXPECT_FALSE(branch_and_bound(distances, graph, {0, 1, 2}, {0, 1, 2}).is_optimal);
}

Solution solution_of(const std::string& text) {
  auto problem = parse_problem(text);
  EXPECT_TRUE(problem) << (problem ? "" : problem.error().what);
  return solve(problem.value());
}

TEST(Mapping, IsSaidToBeOptimalOnlyByWhatWasAskedFor) {
  const std::string ring = "places torus 4\ntraffic 0 1 1\ntraffic 1 2 1\ntraffic 2 3 1\ntraffic 3 0 1\n";
  EXPECT_TRUE(solution_of(ring).is_optimal) << "all partners are neighbours";
  EXPECT_FALSE(solution_of(ring + "objective congestion\n").is_optimal) << "nobody compared all loads";
  const std::string star = "places tree 2 2\ntraffic 0 1 5\ntraffic 0 2 4\ntraffic 0 3 3\n";
  EXPECT_TRUE(solution_of(star).is_optimal) << "no partner of four is a neighbour";
  EXPECT_FALSE(solution_of(star + "objective congestion\n").is_optimal);
}

TEST(Mapping, OfFewRanksIsTheBestOfAllWhereNoExchangeOfTwoRanksLeadsToIt) {
  const Solution ring = solution_of(
      "places tree 2 4\nallowed 1 2 4 5 7\nseed 96\ntraffic 0 1 3\ntraffic 1 2 3\ntraffic 2 0 3\n");
  EXPECT_EQ(std::set<Place>(ring.mapping.begin(), ring.mapping.end()), (std::set<Place>{4, 5, 7}));
  EXPECT_TRUE(ring.is_optimal);
  const Solution pairs = solution_of(
      "places matrix 6\n0 9 3 1 9 2\n5 4 4 9 9 2\n0 7 0 7 4 1\n3 7 4 8 4 7\n7 7 1 8 3 4\n1 7 0 4 7 1\n"
      "ranks 5\nseed 39\ntraffic 0 1 5\ntraffic 0 2 1\ntraffic 0 3 1\ntraffic 1 0 5\ntraffic 1 2 1\n"
      "traffic 1 4 1\ntraffic 2 1 1\ntraffic 2 3 5\ntraffic 2 4 1\ntraffic 3 0 1\ntraffic 3 2 5\n"
      "traffic 4 1 1\ntraffic 4 2 1\ntraffic 4 3 1\n");
  EXPECT_DOUBLE_EQ(pairs.hop_bytes, 63.0);
  EXPECT_TRUE(pairs.is_optimal);
}

TEST(Assignment, CostsTheLeastOfAll) {
  RandomStream random(5);
  for (int round = 0; round < 100; ++round) {
    CostTable costs(3, 3 + random.below(3));
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < costs.columns(); ++column) {
        costs.at(row, column) = static_cast<double>(random.below(20));
      }
    }
    std::vector<std::size_t> columns(costs.columns());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    const auto cost = [&] {
      return costs.at(0, columns[0]) + costs.at(1, columns[1]) + costs.at(2, columns[2]);
    };
    const Assignment found(costs);
    double least = 1e9;
    do {
      least = std::min(least, cost());
      for (std::size_t row = 0; row < 3; ++row) {
        EXPECT_LE(found.cost() + found.surplus(row, columns[row]), cost()) << "a bound for each choice";
      }
    } while (std::ranges::next_permutation(columns).found);
    EXPECT_DOUBLE_EQ(found.cost(), least);
  }
}

SymmetricTable table_of(const Lattice& lattice) {
  SymmetricTable table(lattice.places());
  for (Place one = 0; one < lattice.places(); ++one) {
    for (Place other = 0; other < one; ++other) table.set(one, other, lattice.distance(one, other));
  }
  return table;
}

std::set<std::size_t> names(const std::vector<std::size_t>& orbit) {
  return {orbit.begin(), orbit.end()};
}

TEST(Symmetries, OfATorusMakeAllPlacesAlikeAndThoseOfAMeshItsCorners) {
  const SymmetricTable torus = table_of(Lattice({4, 6}, true));
  EXPECT_EQ(names(Symmetries(torus).orbits({})).size(), 1U);
  const SymmetricTable mesh = table_of(Lattice({3, 3}, false));
  EXPECT_EQ(names(Symmetries(mesh).orbits({})), (std::set<std::size_t>{0, 1, 4}));
}

TEST(Symmetries, KeepWhatIsFixed) {
  const SymmetricTable mesh = table_of(Lattice({3, 3}, false));
  Symmetries symmetries(mesh);
  symmetries.orbits({});
  const std::vector<std::size_t> corner = {0};
  const auto orbit = symmetries.orbits(corner);
  EXPECT_EQ(orbit[0], 0U);
  EXPECT_EQ(names(orbit), (std::set<std::size_t>{0, 1, 2, 4, 5, 8})) << "mirrored at the diagonal";
}

TEST(Symmetries, KnowTwins) {
  SymmetricTable table(4);
  for (std::size_t one = 0; one < 4; ++one) {
    for (std::size_t other = 0; other < one; ++other) table.set(one, other, one / 2 == other / 2 ? 1.0 : 5.0);
  }
  EXPECT_EQ(twins_of(table), (std::vector<std::size_t>{0, 0, 2, 2}));
}

}  // namespace
}  // namespace groma::map
