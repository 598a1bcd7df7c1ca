#include <algorithm>
#include <type_traits>

#include "map/branch_and_bound.hpp"
#include "map/congestion.hpp"
#include "map/embedding.hpp"
#include "map/least_congestion.hpp"
#include "map/problem.hpp"
#include "map/recursive.hpp"
#include "map/search.hpp"

namespace groma::map {
namespace {

constexpr std::size_t kSmall = 512;  ///< ranks; of so many several annealings are run
constexpr std::size_t kFew = 64;     ///< ranks; long annealings of so many take little time

/// Exchanges that all annealings try. One looks at the partners of two ranks, so that the work is less than a
/// minute for 16,384 ranks with few partners.
std::size_t trials_for(const TrafficGraph& graph) {
  constexpr std::size_t kLeast = 300'000;
  return std::max(kLeast, 30'000 * graph.ranks() / (2 + graph.arcs() / graph.ranks()));
}

/// Exchanges of an annealing that is long enough to find an order of the ranks that is hidden in the traffic:
/// some tenths of a second.
std::size_t trials_of_long(const TrafficGraph& graph) {
  constexpr std::size_t kMostLooks = 100'000'000;
  return std::min(30'000 * graph.ranks(), kMostLooks / (1 + graph.arcs() / graph.ranks()));
}

std::vector<Schedule> schedules_for(const TrafficGraph& graph) {
  const std::size_t trials = trials_for(graph);
  if (graph.ranks() > kSmall) return {{trials, 0.1, 0.001}};
  std::vector<Schedule> schedules{{trials / 2, 0.1, 0.001}, {trials / 2, 1.0, 0.005}};
  const std::size_t more = graph.ranks() <= kFew ? 8 : 3;
  schedules.insert(schedules.end(), more, {trials_of_long(graph), 0.3, 0.03});
  return schedules;
}

/// On a lattice: mappings in which the heaviest traffic is between neighbours, whatever the rest is.
std::vector<Mapping> patterns_of_heavy_traffic(const Problem& problem) {
  std::vector<Mapping> found;
  const auto* lattice = std::get_if<Lattice>(&problem.target);
  if (lattice == nullptr) return found;
  const std::size_t steps = 10'000 + 20 * problem.graph.ranks();
  for (const TrafficGraph& part : heaviest_parts(problem.graph, 2 * lattice->extents().size())) {
    auto mapping = neighbouring_mapping(*lattice, problem.allowed, part, steps);
    if (mapping) found.push_back(std::move(*mapping));
  }
  return found;
}

/// All distances as a table, which is faster to read than to count each one anew.
template <class Distance>
Distances table_of(const Distance& target) {
  const auto places = static_cast<Place>(target.places());
  std::vector<double> rows;
  rows.reserve(target.places() * target.places());
  for (Place one = 0; one < places; ++one) {
    for (Place other = 0; other < places; ++other) rows.push_back(target.distance(one, other));
  }
  return {target.places(), rows};
}

Mapping in_order_of_places(const Problem& problem) {
  const auto ranks = static_cast<std::ptrdiff_t>(problem.graph.ranks());
  return {problem.allowed.begin(), problem.allowed.begin() + ranks};
}

template <class Distance>
class Solver {
 public:
  Solver(const Problem& problem, const Distance& target)
      : problem_(problem), target_(target), near_(target, problem.allowed), random_(problem.seed) {}

  Solution run() {
    constexpr std::size_t kMaxOfTable = 1024;
    offer(in_order_of_places(problem_), "block");
    if (problem_.start) offer(*problem_.start, "start");
    const Mapping start =
        RecursiveBisection<Distance>(target_, problem_.graph, random_).run(problem_.allowed);
    offer(start, "recursive bisection");
    if (target_.places() <= kMaxOfTable) {
      improve(table_of(target_), start);
    } else {
      improve(target_, start);
    }
    if (problem_.objective == Objective::kHopBytes) prove();
    return best_;
  }

 private:
  /// `distances` are those of the target, in any form.
  template <class Same>
  void improve(const Same& distances, const Mapping& start) {
    const SearchSpace<Same> space{distances, problem_.graph, problem_.allowed, near_};
    for (Mapping& pattern : patterns_of_heavy_traffic(problem_)) {
      offer(descended(space, std::move(pattern)), "heaviest partners are neighbours, descent");
    }
    for (const Schedule& schedule : schedules_for(problem_.graph)) {
      Mapping annealed = Annealing<Same>(space, start, random_).run(schedule);
      offer(descended(space, std::move(annealed)), "recursive bisection, annealing");
    }
  }

  /// Few ranks have a best mapping that is known to be one.
  void prove() {
    BoundedSearch found = branch_and_bound(target_, problem_.graph, problem_.allowed, best_.mapping);
    if (found.mapping != best_.mapping) offer(std::move(found.mapping), "branch and bound");
    best_.is_optimal = found.is_optimal;
  }

  void offer(Mapping mapping, const char* method) {
    const double cost = hop_bytes(target_, problem_.graph, mapping);
    if (best_.mapping.empty() || cost < best_.hop_bytes) best_ = {std::move(mapping), cost, method, false};
  }

  const Problem& problem_;
  const Distance& target_;
  NearPlaces near_;
  RandomStream random_;
  Solution best_;
};

/// Trials of an annealing of loads: each routes the traffic of two ranks anew.
std::size_t routing_trials(const TrafficGraph& graph, double hops) {
  constexpr double kLinksOfARank = 200'000.0;
  const double ranks = static_cast<double>(graph.ranks());
  const double partners = 1.0 + static_cast<double>(graph.arcs()) / ranks;
  return static_cast<std::size_t>(kLinksOfARank * ranks / (8.0 * partners * (1.0 + hops)));
}

/// Solutions by the load of their busiest link.
template <class Routed>
class CalmLinks {
 public:
  CalmLinks(const Problem& problem, const Routed& target)
      : problem_(problem), target_(target), near_(target, problem.allowed), random_(problem.seed) {}

  /// From the shortest ways to the least busy links. Short ways may share a link: where ranks in the order of
  /// places or the given start have calmer links, a second search begins there.
  Solution run(const Solution& shortest) {
    const Solution usual = usual_order();
    Solution found = annealed(shortest);
    if (busiest(usual) < busiest(shortest)) {
      Solution other = annealed(usual);
      if (busiest(other) < busiest(found)) found = std::move(other);
    }
    return compared(std::move(found));
  }

 private:
  [[nodiscard]] double busiest(const Solution& solution) const {
    return busiest_link(target_, problem_.graph, solution.mapping);
  }

  [[nodiscard]] Solution solution_of(Mapping mapping, std::string method) const {
    const double cost = hop_bytes(target_, problem_.graph, mapping);
    return {std::move(mapping), cost, std::move(method), false};
  }

  /// With what is known of all mappings; of few ranks the calmest one.
  [[nodiscard]] Solution compared(Solution solution) const {
    LeastCongestion least = least_congestion(target_, problem_.graph, problem_.allowed, solution.mapping);
    if (least.mapping != solution.mapping)
      solution = solution_of(std::move(least.mapping), "branch and bound");
    solution.least_congestion = least.at_least;
    return solution;
  }

  /// The calmer one of ranks in the order of places and the given start.
  [[nodiscard]] Solution usual_order() const {
    Solution block = solution_of(in_order_of_places(problem_), "block");
    if (!problem_.start) return block;
    const Solution start = solution_of(*problem_.start, "start");
    return busiest(start) < busiest(block) ? start : block;
  }

  Solution annealed(Solution solution) {
    const SearchSpace<Routed> space{target_, problem_.graph, problem_.allowed, near_};
    const double bytes = std::max(problem_.graph.bytes(), 1.0);
    const std::size_t trials = routing_trials(problem_.graph, solution.hop_bytes / bytes);
    const std::string method = solution.method + ", annealing of loads";
    for (const Schedule& schedule : {Schedule{trials / 2, 0.1, 1e-4}, Schedule{trials / 2, 0.5, 1e-4}}) {
      Mapping mapping = CongestionAnnealing<Routed>(space, solution.mapping, random_).run(schedule);
      Solution found = solution_of(std::move(mapping), method);
      if (busiest(found) < busiest(solution)) solution = std::move(found);
    }
    return solution;
  }

  const Problem& problem_;
  const Routed& target_;
  NearPlaces near_;
  RandomStream random_;
};

/// Where all partners can be neighbours, nothing is better.
std::optional<Solution> neighbours_only(const Problem& problem) {
  const auto* lattice = std::get_if<Lattice>(&problem.target);
  if (lattice == nullptr) return std::nullopt;
  const std::size_t steps = 100'000 + 100 * problem.graph.ranks();
  auto mapping = neighbouring_mapping(*lattice, problem.allowed, problem.graph, steps);
  if (!mapping) return std::nullopt;
  const double cost = hop_bytes(*lattice, problem.graph, *mapping);
  return Solution{std::move(*mapping), cost, "all partners are neighbours", true};
}

}  // namespace

Solution solve(const Problem& problem) {
  auto found = neighbours_only(problem);
  return std::visit(
      [&](const auto& target) {
        Solution solution = found ? std::move(*found) : Solver(problem, target).run();
        if constexpr (!std::is_same_v<std::decay_t<decltype(target)>, Distances>) {
          if (problem.objective == Objective::kCongestion) {
            solution.is_optimal = false;  // by its hop-bytes alone
            return CalmLinks(problem, target).run(solution);
          }
        }
        return solution;
      },
      problem.target);
}

Json to_json(const Solution& solution) {
  const std::vector<std::uint64_t> mapping(solution.mapping.begin(), solution.mapping.end());
  JsonObject object;
  object.add("mapping", mapping)
      .add("hop_bytes", solution.hop_bytes)
      .add("method", solution.method)
      .add("is_optimal", solution.is_optimal);
  if (solution.least_congestion) object.add("least_congestion", *solution.least_congestion);
  return object.json();
}

}  // namespace groma::map
