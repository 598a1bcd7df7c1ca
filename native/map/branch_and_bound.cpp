#include "map/branch_and_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "map/assignment.hpp"

namespace groma::map {
namespace {

constexpr std::size_t kMostWork = 60'000'000;  ///< entries of tables that are looked at
constexpr double kRounding = 1e-9;             ///< relative: hop-bytes that differ by less are equal

/// Ranks and places under numbers of their own: ranks with traffic, and of places that are twins no more than
/// these ranks can use.
struct Reduced {
  std::vector<Rank> ranks;
  std::vector<std::size_t> places;  ///< numbers of allowed ones
  SymmetricTable bytes;
  SymmetricTable distances;
};

std::vector<Rank> ranks_with_traffic(const TrafficGraph& graph) {
  std::vector<Rank> found;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    if (!graph.arcs(rank).empty()) found.push_back(rank);
  }
  return found;
}

SymmetricTable bytes_between(const TrafficGraph& graph, const std::vector<Rank>& ranks) {
  SymmetricTable bytes(ranks.size());
  for (std::size_t one = 0; one < ranks.size(); ++one) {
    for (const Arc& arc : graph.arcs(ranks[one])) {
      bytes.set(one, static_cast<std::size_t>(std::ranges::lower_bound(ranks, arc.to) - ranks.begin()),
                arc.bytes);
    }
  }
  return bytes;
}

/// At most so many of each class of twins.
std::vector<std::size_t> few_of_each(const std::vector<std::size_t>& twins, std::size_t most) {
  std::vector<std::size_t> count(twins.size(), 0);
  std::vector<std::size_t> kept;
  for (std::size_t one = 0; one < twins.size(); ++one) {
    if (count[twins[one]]++ < most) kept.push_back(one);
  }
  return kept;
}

Reduced reduced(const SymmetricTable& distances, const TrafficGraph& graph) {
  std::vector<Rank> ranks = ranks_with_traffic(graph);
  std::vector<std::size_t> places = few_of_each(twins_of(distances), ranks.size());
  SymmetricTable bytes = bytes_between(graph, ranks);
  SymmetricTable between(places.size());
  for (std::size_t one = 0; one < places.size(); ++one) {
    for (std::size_t other = 0; other < one; ++other) {
      between.set(one, other, distances.at(places[one], places[other]));
    }
  }
  return {std::move(ranks), std::move(places), std::move(bytes), std::move(between)};
}

/// For each place the others, the nearest first.
std::vector<std::vector<std::size_t>> nearest_first(const SymmetricTable& distances) {
  std::vector<std::vector<std::size_t>> found(distances.size());
  for (std::size_t place = 0; place < found.size(); ++place) {
    for (std::size_t other = 0; other < found.size(); ++other) {
      if (other != place) found[place].push_back(other);
    }
    std::ranges::sort(found[place], {},
                      [&](std::size_t other) { return std::pair(distances.at(place, other), other); });
  }
  return found;
}

/// Depth first. A rank goes to every place that the bound of Gilmore (1962) and Lawler (1963) leaves, the
/// most promising first, but for those that a symmetry turns into one that is done.
class Search {
 public:
  Search(const Reduced& problem, double known)
      : bytes_(problem.bytes),
        distances_(problem.distances),
        near_(nearest_first(problem.distances)),
        twins_(twins_of(problem.bytes)),
        symmetries_(problem.distances),
        least_(known),
        is_free_(problem.distances.size(), true),
        is_placed_(problem.bytes.size(), false) {}

  /// False where the work is too much.
  bool run() {
    visit(0.0, CostTable(bytes_.size(), distances_.size()));
    return !is_too_much();
  }

  /// A place for each rank that costs less than what was known, if there is one.
  [[nodiscard]] const std::optional<std::vector<std::size_t>>& better() const { return better_; }

 private:
  /// A rank that is placed. With it at a place that `is_done`, no mapping costs less than the least known.
  struct Step {
    std::size_t rank;
    std::size_t place;
    std::vector<bool> is_done;
  };

  struct Child {
    double bound;
    std::size_t place;
  };

  /// What may be done next: places of one rank.
  struct Branch {
    std::size_t rank = 0;
    std::vector<Child> children;
  };

  /// `cost` is that of the ranks that are placed, `to_placed` that of each other one at each place with them.
  void visit(double cost, const CostTable& to_placed) {
    if (steps_.size() == bytes_.size()) {
      take(cost);
      return;
    }
    const Branch branch = chosen(cost, to_placed);
    if (branch.children.empty()) return;
    const std::vector<std::size_t> orbit = orbits();
    std::vector<bool> is_done(distances_.size(), true);
    for (const Child& child : branch.children) is_done[child.place] = false;
    std::vector<bool> is_tried(distances_.size(), false);
    steps_.push_back({branch.rank, 0, std::move(is_done)});
    for (const Child& child : branch.children) {
      if (is_too_much()) break;
      const bool is_new = !is_tried[orbit[child.place]];
      is_tried[orbit[child.place]] = true;
      if (is_new && child.bound < limit() && !is_done_by_twin(branch.rank, child.place)) {
        place(child.place, cost, to_placed);
      }
      steps_.back().is_done[child.place] = true;
    }
    steps_.pop_back();
  }

  void place(std::size_t where, double cost, CostTable to_placed) {
    const std::size_t rank = steps_.back().rank;
    steps_.back().place = where;
    is_free_[where] = false;
    is_placed_[rank] = true;
    const double more = to_placed.at(rank, where);
    for (std::size_t other = 0; other < bytes_.size(); ++other) {
      if (is_placed_[other] || bytes_.at(rank, other) == 0.0) continue;
      for (std::size_t there = 0; there < distances_.size(); ++there) {
        to_placed.at(other, there) += bytes_.at(rank, other) * distances_.at(where, there);
      }
    }
    visit(cost + more, to_placed);
    is_free_[where] = true;
    is_placed_[rank] = false;
  }

  /// Exchanging the rank with a twin that is placed makes this a mapping that is done.
  [[nodiscard]] bool is_done_by_twin(std::size_t rank, std::size_t where) const {
    return std::any_of(steps_.begin(), steps_.end() - 1, [&](const Step& step) {
      return twins_[step.rank] == twins_[rank] && step.is_done[where];
    });
  }

  void take(double cost) {
    if (cost >= limit()) return;
    least_ = cost;
    better_.emplace(bytes_.size());
    for (const Step& step : steps_) (*better_)[step.rank] = step.place;
  }

  std::vector<std::size_t> orbits() {
    std::vector<std::size_t> taken;
    for (const Step& step : steps_) taken.push_back(step.place);
    return symmetries_.orbits(taken);
  }

  /// Mappings that cost as much are not worth a visit.
  [[nodiscard]] double limit() const { return least_ * (1.0 - kRounding); }

  [[nodiscard]] bool is_too_much() const { return work_ + symmetries_.looks() > kMostWork; }

  /// The rank with the fewest places that can lead to less cost; none if no mapping can.
  Branch chosen(double cost, const CostTable& to_placed) {
    const std::vector<std::size_t> ranks = numbers_of(is_placed_, false);
    const std::vector<std::size_t> places = numbers_of(is_free_, true);
    const CostTable costs = least_costs(to_placed, ranks, places);
    const Assignment assignment(costs);
    work_ += ranks.size() * ranks.size() * places.size();
    const double bound = cost + assignment.cost();
    Branch best{ranks.front(), {}};
    if (bound >= limit()) return best;
    std::size_t fewest = places.size() + 1;
    for (std::size_t row = 0; row < ranks.size(); ++row) {
      std::vector<Child> children;
      for (std::size_t column = 0; column < places.size(); ++column) {
        const double at_least = bound + assignment.surplus(row, column);
        if (at_least < limit()) children.push_back({at_least, places[column]});
      }
      if (children.size() >= fewest) continue;
      fewest = children.size();
      best = {ranks[row], std::move(children)};
    }
    std::ranges::sort(best.children, {}, [](const Child& one) { return std::pair(one.bound, one.place); });
    return best;
  }

  static std::vector<std::size_t> numbers_of(const std::vector<bool>& flags, bool wanted) {
    std::vector<std::size_t> found;
    for (std::size_t one = 0; one < flags.size(); ++one) {
      if (flags[one] == wanted) found.push_back(one);
    }
    return found;
  }

  /// Of each rank at each place: with those that are placed, and half of what it costs at the least with the
  /// others, the heaviest of them as near as places are free.
  CostTable least_costs(const CostTable& to_placed, const std::vector<std::size_t>& ranks,
                        const std::vector<std::size_t>& places) const {
    CostTable costs(ranks.size(), places.size());
    const std::vector<std::vector<double>> bytes = bytes_among(ranks);
    std::vector<double> nearest;
    for (std::size_t column = 0; column < places.size(); ++column) {
      nearest.clear();
      for (const std::size_t other : near_[places[column]]) {
        if (nearest.size() + 1 == ranks.size()) break;
        if (is_free_[other]) nearest.push_back(distances_.at(places[column], other));
      }
      for (std::size_t row = 0; row < ranks.size(); ++row) {
        const double others = std::inner_product(bytes[row].begin(), bytes[row].end(), nearest.begin(), 0.0);
        costs.at(row, column) = to_placed.at(ranks[row], places[column]) + others / 2.0;
      }
    }
    return costs;
  }

  /// What each of these ranks exchanges with the others, the most first.
  [[nodiscard]] std::vector<std::vector<double>> bytes_among(const std::vector<std::size_t>& ranks) const {
    std::vector<std::vector<double>> found(ranks.size());
    for (std::size_t row = 0; row < ranks.size(); ++row) {
      for (const std::size_t other : ranks) {
        if (other != ranks[row]) found[row].push_back(bytes_.at(ranks[row], other));
      }
      std::ranges::sort(found[row], std::greater<>());
    }
    return found;
  }

  const SymmetricTable& bytes_;
  const SymmetricTable& distances_;
  std::vector<std::vector<std::size_t>> near_;
  std::vector<std::size_t> twins_;
  Symmetries symmetries_;
  double least_;
  std::optional<std::vector<std::size_t>> better_;
  std::vector<bool> is_free_;
  std::vector<bool> is_placed_;
  std::vector<Step> steps_;
  std::size_t work_ = 0;
};

double cost_of(const SymmetricTable& distances, const TrafficGraph& graph, const std::vector<Place>& allowed,
               const Mapping& mapping) {
  double sum = 0.0;
  const auto number = [&](Rank rank) {
    return static_cast<std::size_t>(std::ranges::lower_bound(allowed, mapping[rank]) - allowed.begin());
  };
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const Arc& arc : graph.arcs(rank)) {
      sum += arc.bytes * distances.at(number(rank), number(arc.to));
    }
  }
  return sum / 2.0;
}

/// Ranks without traffic get the places that are left.
Mapping mapping_of(const Reduced& problem, const std::vector<std::size_t>& place_of, std::size_t ranks,
                   const std::vector<Place>& allowed) {
  std::vector<bool> is_free(allowed.size(), true);
  std::vector<bool> is_placed(ranks, false);
  Mapping mapping(ranks);
  for (std::size_t one = 0; one < place_of.size(); ++one) {
    const std::size_t place = problem.places[place_of[one]];
    mapping[problem.ranks[one]] = allowed[place];
    is_placed[problem.ranks[one]] = true;
    is_free[place] = false;
  }
  std::size_t next = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (is_placed[rank]) continue;
    while (!is_free[next]) ++next;
    mapping[rank] = allowed[next++];
  }
  return mapping;
}

/// Whether all sums of costs are numbers.
bool are_finite(const SymmetricTable& distances, const TrafficGraph& graph) {
  double farthest = 0.0;
  for (std::size_t one = 0; one < distances.size(); ++one) {
    for (std::size_t other = 0; other < one; ++other) {
      farthest = std::max(farthest, distances.at(one, other));
    }
  }
  return std::isfinite(farthest * graph.bytes());
}

}  // namespace

BoundedSearch branch_and_bound(const SymmetricTable& distances, const TrafficGraph& graph,
                               const std::vector<Place>& allowed, const Mapping& known) {
  const double cost = cost_of(distances, graph, allowed, known);
  if (cost == 0.0) return {known, true};
  if (ranks_with_traffic(graph).size() > kMostExactRanks || !are_finite(distances, graph))
    return {known, false};
  const Reduced problem = reduced(distances, graph);
  Search search(problem, cost);
  const bool is_optimal = search.run();
  if (!search.better()) return {known, is_optimal};
  return {mapping_of(problem, *search.better(), graph.ranks(), allowed), is_optimal};
}

}  // namespace groma::map
