#include "map/problem.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/random.hpp"
#include "map/congestion.hpp"
#include "map/search.hpp"

namespace groma::map {
namespace {

/// Every pair of neighbours once, under names of ranks that `name` gives to places.
std::string traffic_of(const Lattice& lattice, const std::vector<Rank>& name) {
  std::string text;
  for (Place place = 0; place < lattice.places(); ++place) {
    for (const Place next : lattice.neighbours(place)) {
      if (next < place) continue;
      text += "traffic " + std::to_string(name[place]) + " " + std::to_string(name[next]) + " 8\n";
    }
  }
  return text;
}

std::vector<Rank> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<Rank> names(count);
  for (Rank rank = 0; rank < count; ++rank) names[rank] = rank;
  RandomStream random(seed);
  shuffle(std::span<Rank>(names), random);
  return names;
}

std::string random_traffic(std::size_t ranks, std::size_t pairs, std::uint64_t seed) {
  RandomStream random(seed);
  std::string text = "ranks " + std::to_string(ranks) + "\n";
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    text += "traffic " + std::to_string(random.below(ranks)) + " " + std::to_string(random.below(ranks)) +
            " " + std::to_string(1 + random.below(100)) + "\n";
  }
  return text;
}

Problem problem_of(const std::string& text) {
  auto problem = parse_problem(text);
  EXPECT_TRUE(problem) << (problem ? "" : problem.error().what);
  return std::move(problem).value();
}

double cost_of(const Problem& problem, const Mapping& mapping) {
  return std::visit([&](const auto& target) { return hop_bytes(target, problem.graph, mapping); },
                    problem.target);
}

double dilation_of(const std::string& text) {
  const Problem problem = problem_of(text);
  return solve(problem).hop_bytes / problem.graph.bytes();
}

class Regular : public testing::TestWithParam<std::pair<std::string, std::vector<std::uint32_t>>> {};

TEST_P(Regular, PatternsOnTheLatticeThatTheyFitGetOneHopForEveryByte) {
  const auto& [kind, extents] = GetParam();
  const Lattice lattice(extents, kind == "torus");
  std::string places = "places " + kind;
  for (const std::uint32_t extent : extents) places += " " + std::to_string(extent);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_DOUBLE_EQ(dilation_of(places + "\n" + traffic_of(lattice, shuffled(lattice.places(), seed))), 1.0);
  }
}

using Shapes = std::vector<std::uint32_t>;
INSTANTIATE_TEST_SUITE_P(Lattices, Regular,
                         testing::Values(std::pair("torus", Shapes{4, 4, 4}),
                                         std::pair("torus", Shapes{8, 8, 8}),
                                         std::pair("torus", Shapes{3, 5}),
                                         std::pair("torus", Shapes{2, 8, 3}), std::pair("torus", Shapes{64}),
                                         std::pair("mesh", Shapes{7, 9}), std::pair("mesh", Shapes{4, 3, 5}),
                                         std::pair("mesh", Shapes{30}),
                                         std::pair("torus", Shapes{2, 2, 2, 2, 2})));

TEST(Embedding, ManySmallGroupsGetOneHopForEveryByteAtOnce) {
  // Quadratic work would take minutes.
  const std::vector<Rank> name = shuffled(std::size_t{32} * 32 * 32, 1);
  std::string text = "places torus 32 32 32\n";
  for (Rank rank = 0; rank < name.size(); rank += 2) {
    text += "traffic " + std::to_string(name[rank]) + " " + std::to_string(name[rank + 1]) + " 8\n";
  }
  EXPECT_DOUBLE_EQ(dilation_of(text), 1.0);
}

TEST(Embedding, RanksWithoutTrafficGetThePlacesThatAreLeft) {
  const Problem problem = problem_of("places torus 256 256\nranks 65536\ntraffic 0 65535 5\n");
  const Solution solution = solve(problem);
  EXPECT_DOUBLE_EQ(solution.hop_bytes, 5.0);
  EXPECT_EQ(std::set<Place>(solution.mapping.begin(), solution.mapping.end()).size(), 65536U);
}

TEST(Embedding, PatternsFitOnTheAllowedPlacesOnly) {
  const std::string star = "traffic 2 0 1\ntraffic 2 1 1\ntraffic 2 4 1\ntraffic 2 5 1\n";
  const Solution solution = solve(problem_of("places mesh 3 4\nallowed 0 4 6 7 8 10\nranks 6\n" + star));
  EXPECT_DOUBLE_EQ(solution.hop_bytes, 4.0);
  EXPECT_EQ(std::set<Place>(solution.mapping.begin(), solution.mapping.end()),
            (std::set<Place>{0, 4, 6, 7, 8, 10}));
}

TEST(Embedding, StencilsWithDiagonalsKeepTheirHeavyPatternInAnyOrderOfRanks) {
  // 9 points: 1000 bytes to each side, 100 to each corner.
  constexpr std::uint32_t kSide = 16;
  const std::vector<Rank> name = shuffled(std::size_t{kSide} * kSide, 2);
  const auto of = [&](std::uint32_t x, std::uint32_t y) { return name[y % kSide * kSide + x % kSide]; };
  std::string text = "places torus 16 16\n";
  const auto add = [&](Rank one, Rank other, const char* bytes) {
    text += "traffic " + std::to_string(one) + " " + std::to_string(other) + " " + bytes + "\n";
  };
  for (std::uint32_t y = 0; y < kSide; ++y) {
    for (std::uint32_t x = 0; x < kSide; ++x) {
      add(of(x, y), of(x + 1, y), "1000");
      add(of(x, y), of(x, y + 1), "1000");
      add(of(x, y), of(x + 1, y + 1), "100");
      add(of(x, y), of(x + kSide - 1, y + 1), "100");
    }
  }
  EXPECT_LE(dilation_of(text), (2000.0 + 2.0 * 200.0) / 2200.0 + 1e-9);
}

TEST(Traffic, HasHeavyPartsInWhichNoRankHasManyPartners) {
  // A star of five arms, of which the heaviest two stay, and a pair.
  const TrafficGraph graph(8, {{0, 1, 5}, {0, 2, 4}, {0, 3, 3}, {0, 4, 2}, {0, 5, 1}, {6, 7, 2}});
  const auto parts = heaviest_parts(graph, 2);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].bytes(), 5.0 + 4.0 + 2.0) << "what is among the heaviest of both ranks";
  EXPECT_EQ(parts[1].bytes(), 5.0 + 4.0) << "what is heavier than all that is left out";
  EXPECT_EQ(parts[2].bytes(), 5.0) << "the heavier half of that";
}

TEST(Traffic, OfEqualPairsHasNoHeavyPart) {
  EXPECT_TRUE(heaviest_parts(TrafficGraph(4, {{0, 1, 5}, {0, 2, 5}, {0, 3, 5}}), 2).empty());
  EXPECT_TRUE(heaviest_parts(TrafficGraph(4, {{0, 1, 5}, {2, 3, 5}}), 2).empty());
  EXPECT_TRUE(heaviest_parts(TrafficGraph(4, {}), 2).empty());
}

TEST(Mapping, GivesEveryRankAnAllowedPlaceOfItsOwn) {
  for (const std::string places :
       {"places torus 5 7", "places mesh 35", "places tree 5 7", "places tree 5 7 costs 9 0"}) {
    const std::string allowed = "\nallowed 34 3 4 5 9 10 11 12 20 21 22 23 24 30 31\n";
    const Solution solution = solve(problem_of(places + allowed + random_traffic(13, 40, 5)));
    const std::set<Place> used(solution.mapping.begin(), solution.mapping.end());
    EXPECT_EQ(solution.mapping.size(), 13U);
    EXPECT_EQ(used.size(), 13U);
    for (const Place place : used) EXPECT_NE(allowed.find(" " + std::to_string(place)), std::string::npos);
  }
}

TEST(Mapping, SaysTheCostThatItHas) {
  const Problem problem = problem_of("places torus 4 8\n" + random_traffic(32, 100, 3));
  const Solution solution = solve(problem);
  EXPECT_DOUBLE_EQ(solution.hop_bytes, cost_of(problem, solution.mapping));
}

TEST(Mapping, IsTheSameForOneSeed) {
  const std::string text = "places tree 2 4 4\n" + random_traffic(32, 90, 8);
  EXPECT_EQ(solve(problem_of(text)).mapping, solve(problem_of(text)).mapping);
}

TEST(Mapping, IsNeverWorseThanItsStart) {
  std::string start = "start";
  for (const Rank place : shuffled(32, 4)) start += " " + std::to_string(place);
  const Problem problem = problem_of("places torus 4 8\n" + start + "\n" + random_traffic(32, 100, 3));
  EXPECT_LE(solve(problem).hop_bytes, cost_of(problem, *problem.start));
}

TEST(Mapping, PutsGroupsUnderOneSwitch) {
  // Four groups that talk inside only, dealt out over the numbers of ranks.
  std::string text = "places tree 4 4\n";
  for (int group = 0; group < 4; ++group) {
    for (int one = 0; one < 4; ++one) {
      for (int other = one + 1; other < 4; ++other) {
        text +=
            "traffic " + std::to_string(one * 4 + group) + " " + std::to_string(other * 4 + group) + " 1\n";
      }
    }
  }
  EXPECT_DOUBLE_EQ(dilation_of(text), 2.0);
}

TEST(Mapping, NeedsNoTraffic) {
  EXPECT_EQ(solve(problem_of("places tree 2 2\nranks 3\n")).mapping, (Mapping{0, 1, 2}));
}

TEST(LocalSearch, TriesEachPlaceOnceHoweverManyPartnersARankHas) {
  std::string all_to_all = "places tree 16 16\n";
  for (Rank one = 0; one < 256; ++one) {
    for (Rank other = 0; other < one; ++other) {
      all_to_all += "traffic " + std::to_string(one) + " " + std::to_string(other) + " 1\n";
    }
  }
  for (const std::string& text : {all_to_all, "places tree 32 32\n" + random_traffic(1024, 6000, 4)}) {
    const Problem problem = problem_of(text);
    const auto& tree = std::get<Tree>(problem.target);
    ASSERT_GT(problem.allowed.size() * problem.graph.arcs(), kMaxLooks);
    const NearPlaces near(tree, problem.allowed);
    const SearchSpace<Tree> space{tree, problem.graph, problem.allowed, near};
    const Occupancy occupancy(tree, problem.graph, problem.allowed);
    PlacesToTry<Tree> places(space);
    for (const Rank rank : {Rank{0}, Rank{7}, Rank{255}}) {
      std::vector<Place> tried;
      places.each(occupancy, rank, [&](Place place) { tried.push_back(place); });
      EXPECT_FALSE(tried.empty());
      EXPECT_EQ(std::set<Place>(tried.begin(), tried.end()).size(), tried.size());
    }
  }
}

TEST(LocalSearch, NeverRaisesTheCost) {
  for (const std::string places : {"places torus 6 6", "places mesh 36", "places tree 3 3 4"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Problem problem = problem_of(places + "\n" + random_traffic(36, 120, seed));
      Mapping mapping = shuffled(36, seed);
      const double before = cost_of(problem, mapping);
      std::visit(
          [&](const auto& target) {
            const NearPlaces near(target, problem.allowed);
            const SearchSpace<std::decay_t<decltype(target)>> space{target, problem.graph, problem.allowed,
                                                                    near};
            mapping = descended(space, mapping);
          },
          problem.target);
      EXPECT_LT(cost_of(problem, mapping), before);
    }
  }
}

TEST(LocalSearch, KnowsTheChangeOfEveryExchange) {
  const Problem problem = problem_of("places torus 4 5\n" + random_traffic(17, 60, 2));
  const auto& lattice = std::get<Lattice>(problem.target);
  Occupancy occupancy(lattice, problem.graph, {problem.allowed.begin(), problem.allowed.begin() + 17});
  RandomStream random(9);
  for (int i = 0; i < 500; ++i) {
    const auto rank = static_cast<Rank>(random.below(17));
    const auto place = static_cast<Place>(random.below(20));
    if (place == occupancy.place(rank)) continue;
    const double before = cost_of(problem, occupancy.mapping());
    const double change = occupancy.change(rank, place);
    occupancy.exchange(rank, place);
    EXPECT_NEAR(cost_of(problem, occupancy.mapping()), before + change, 1e-9 * before);
    EXPECT_EQ(occupancy.at(place), rank);
  }
}

/// Ranks that send to their neighbours on a mesh, under names in a random order, on places at the distances
/// of that mesh: no lattice in which neighbours could be searched for.
std::string hidden_mesh(std::uint32_t side, std::uint64_t seed) {
  const Lattice mesh({side, side}, false);
  const std::vector<Rank> name = shuffled(mesh.places(), seed);
  std::string text = "places matrix " + std::to_string(mesh.places()) + "\n";
  std::string traffic;
  for (Place one = 0; one < mesh.places(); ++one) {
    for (Place other = 0; other < mesh.places(); ++other) {
      text += std::to_string(mesh.distance(one, other)) + (other + 1 == mesh.places() ? "\n" : " ");
    }
    for (const Place other : mesh.neighbours(one)) {
      traffic += "traffic " + std::to_string(name[one]) + " " + std::to_string(name[other]) + " 1\n";
    }
  }
  return text + traffic;
}

TEST(Mapping, FindsAnOrderOfRanksThatDistancesHide) {
  for (const std::uint32_t side : {6U, 10U}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Problem problem = problem_of(hidden_mesh(side, seed));
      EXPECT_DOUBLE_EQ(solve(problem).hop_bytes, problem.graph.bytes()) << side << ", seed " << seed;
    }
  }
}

TEST(Congestion, IsNeverWorseThanThatOfTheShortestWays) {
  for (const std::string places :
       {"places torus 4 4", "places mesh 4 4", "places tree 4 4", "places torus 3 2 4"}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const std::string text = places + "\n" + random_traffic(16, 40, seed);
      const Problem shortest = problem_of(text);
      const Problem calm = problem_of(text + "objective congestion\n");
      const Mapping by_hops = solve(shortest).mapping;
      const Mapping by_load = solve(calm).mapping;
      std::visit(
          [&](const auto& target) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(target)>, Distances>) {
              EXPECT_LE(busiest_link(target, calm.graph, by_load), busiest_link(target, calm.graph, by_hops));
            }
          },
          calm.target);
    }
  }
}

/// A ring of ranks that send to the 1st, 5th and 25th after them, under names of ranks that `name` gives to
/// their order. Short ways make some links of a tree busier than the order does.
std::string strides_of(const std::vector<Rank>& name) {
  std::string text = "objective congestion\n";
  for (std::size_t at = 0; at < name.size(); ++at) {
    for (const std::size_t step : {1U, 5U, 25U}) {
      text += "traffic " + std::to_string(name[at]) + " " + std::to_string(name[(at + step) % name.size()]) +
              " 1\n";
    }
  }
  return text;
}

double busiest_link_of_tree(const Problem& problem, const Mapping& mapping) {
  return busiest_link(std::get<Tree>(problem.target), problem.graph, mapping);
}

TEST(Congestion, IsNeverWorseThanThatOfRanksInTheOrderOfPlaces) {
  std::vector<Rank> in_order(512);
  std::iota(in_order.begin(), in_order.end(), Rank{0});
  const Problem problem = problem_of("places tree 64 8\n" + strides_of(in_order));
  EXPECT_LE(busiest_link_of_tree(problem, solve(problem).mapping), busiest_link_of_tree(problem, in_order));
}

TEST(Congestion, IsNeverWorseThanThatOfItsStart) {
  const std::vector<Rank> name = shuffled(512, 6);
  Mapping start(name.size());
  for (Place place = 0; place < name.size(); ++place) start[name[place]] = place;
  std::string line = "start";
  for (const Place place : start) line += " " + std::to_string(place);
  const Problem problem = problem_of("places tree 64 8\n" + line + "\n" + strides_of(name));
  EXPECT_LE(busiest_link_of_tree(problem, solve(problem).mapping), busiest_link_of_tree(problem, start));
}

TEST(Congestion, TakesALongerWayThatIsFree) {
  // A mesh of a line: ranks 0 and 1 talk a lot with 2 and 3. Side by side all of it shares one link.
  const Problem problem = problem_of(
      "places torus 6\nranks 4\ntraffic 0 1 10\ntraffic 0 2 10\ntraffic 0 3 1\nobjective congestion\n");
  const auto& ring = std::get<Lattice>(problem.target);
  EXPECT_LE(busiest_link(ring, problem.graph, solve(problem).mapping), 11.0);
}

TEST(Congestion, CountsEachDirectionOfALink) {
  const Problem problem = problem_of("places mesh 3\ntraffic 0 1 5\ntraffic 1 0 7\ntraffic 0 2 1\n");
  const auto& mesh = std::get<Lattice>(problem.target);
  const auto loads = link_loads(mesh, problem.graph, {0, 1, 2});
  EXPECT_DOUBLE_EQ(loads[0], 6.0) << "from place 0 forwards";
  EXPECT_DOUBLE_EQ(loads[2], 1.0) << "from place 1 forwards";
  EXPECT_DOUBLE_EQ(loads[3], 7.0) << "from place 1 backwards";
}

TEST(Congestion, NeedsLinks) {
  EXPECT_FALSE(parse_problem("places matrix 1\n0\nranks 1\nobjective congestion\n"));
}

TEST(Target, TreesCountToTheLowestCommonAncestor) {
  const Tree tree({2, 3, 2}, {9.0, 4.0, 1.0});
  EXPECT_EQ(tree.places(), 12U);
  EXPECT_EQ(tree.distance(0, 0), 0.0);
  EXPECT_EQ(tree.distance(0, 1), 1.0);
  EXPECT_EQ(tree.distance(1, 2), 4.0);
  EXPECT_EQ(tree.distance(5, 6), 9.0);
}

TEST(Target, TheShorterWayRoundATorusCounts) {
  const Lattice torus({5, 4}, true);
  const Lattice mesh({5, 4}, false);
  EXPECT_EQ(torus.distance(0, 4), 1.0);
  EXPECT_EQ(mesh.distance(0, 4), 4.0);
  EXPECT_EQ(torus.distance(0, 17), 2.0 + 1.0);
  EXPECT_EQ(torus.neighbours(0), (std::vector<Place>{1, 4, 5, 15}));
  EXPECT_EQ(mesh.neighbours(0), (std::vector<Place>{1, 5}));
}

TEST(Target, AMatrixCountsByItsSymmetricPart) {
  const Problem problem = problem_of("places matrix 2\n0 1\n3 0\ntraffic 0 1 10\n");
  EXPECT_DOUBLE_EQ(solve(problem).hop_bytes, 20.0);
}

TEST(ProblemText, IsRefusedWithItsLine) {
  for (const std::string wrong :
       {"traffic 0 1", "traffic 0 1 -5", "traffic 0 1 nan", "traffic 0 1 inf", "traffic 0 1 2 3",
        "traffic -1 0 3", "places ring 4", "places torus", "places torus 0", "places torus 99999 99999",
        "places tree 2 costs 1 2", "places tree x", "places matrix 0", "places matrix 2\n0 1\n0",
        "objective speed", "ranks many", "what"}) {
    const auto problem = parse_problem("places torus 4 4\n" + wrong + "\n");
    ASSERT_FALSE(problem) << wrong;
    EXPECT_EQ(problem.error().code, "usage");
    EXPECT_NE(problem.error().what.find("line "), std::string::npos) << wrong;
  }
}

TEST(ProblemText, IsRefusedWhereAWordIsTooMany) {
  for (const std::string wrong :
       {"places matrix 1 2\n0", "objective congestion please", "ranks 1 2", "seed 1 2"}) {
    const auto problem = parse_problem("places torus 4 4\nranks 1\n" + wrong + "\n");
    ASSERT_FALSE(problem) << wrong;
    EXPECT_NE(problem.error().what.find("line 3"), std::string::npos) << wrong;
  }
}

TEST(ProblemText, IsRefusedWhereTheCostOfATreeIsNoNumber) {
  const auto problem = parse_problem("ranks 1\nplaces tree 2 4 costs 10 five\n");
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().what, "line 2 of the mapping problem: costs of a tree are numbers");
}

TEST(ProblemText, IsRefusedWhereItContradictsItself) {
  for (const std::string wrong :
       {"", "places torus 4", "places torus 4\nranks 5", "places torus 4\nranks 2\ntraffic 0 2 1",
        "places torus 4\nallowed 1 1 2\nranks 2", "places torus 4\nallowed 4\nranks 1",
        "places torus 4\nranks 2\nstart 0 0", "places torus 4\nranks 2\nstart 0",
        "places torus 4\nallowed 0 1\nranks 2\nstart 0 2"}) {
    EXPECT_FALSE(parse_problem(wrong)) << wrong;
  }
}

TEST(ProblemText, IsRefusedWhereCostsAreBeyondAllNumbers) {
  std::string ring;
  for (int rank = 0; rank < 6; ++rank) {
    ring += "traffic " + std::to_string(rank) + ' ' + std::to_string((rank + 1) % 6) + " 1e308\n";
  }
  for (const std::string& wrong :
       {"places mesh 8\nobjective congestion\n" + ring, "places torus 4 4\n" + ring,
        std::string("places tree 4 4 costs 1e300 1\ntraffic 0 1 1e10\n"),
        std::string("places matrix 2\n0 1e30\n1e30 0\ntraffic 0 1 1e280\n"),
        std::string("places matrix 2\n0 1e40\n1e40 0\ntraffic 0 1 1\n")}) {
    const auto problem = parse_problem(wrong);
    ASSERT_FALSE(problem) << wrong;
    EXPECT_EQ(problem.error().code, "usage");
  }
  EXPECT_TRUE(parse_problem("places mesh 8\ntraffic 0 1 1e200\n"));
}

TEST(Target, KnowsTheLargestDistanceOfItsPlaces) {
  for (const std::string places : {"torus 4 5 2", "mesh 3 4", "tree 2 4 costs 7 2", "matrix 2\n0 1\n3 0"}) {
    const Problem problem = problem_of("places " + places + "\nranks 1\n");
    const auto all = static_cast<Place>(places_of(problem.target));
    double largest = 0.0;
    for (Place one = 0; one < all; ++one) {
      for (Place other = 0; other < all; ++other) {
        largest = std::max(
            largest,
            std::visit([&](const auto& target) { return target.distance(one, other); }, problem.target));
      }
    }
    EXPECT_EQ(diameter_of(problem.target), largest) << places;
  }
}

TEST(ProblemText, OfAnyKindIsReadOrRefused) {
  RandomStream random(7);
  const std::vector<std::string> words = {"places",  "torus",
                                          "tree",    "matrix",
                                          "costs",   "ranks",
                                          "traffic", "allowed",
                                          "start",   "0",
                                          "1",       "2",
                                          "4",       "-1",
                                          "1e9",     "nan",
                                          "\n",      "\n",
                                          "\n",      "\t",
                                          "x",       "99999999999999999999"};
  for (int text = 0; text < 3000; ++text) {
    std::string content = random.below(2) == 0 ? "places torus 4\n" : "";
    for (std::uint64_t word = random.below(30); word > 0; --word)
      content += words[random.below(words.size())] + " ";
    const auto problem = parse_problem(content);
    if (problem) {
      EXPECT_LE(problem.value().graph.ranks(), problem.value().allowed.size());
    }
  }
}

}  // namespace
}  // namespace groma::map
