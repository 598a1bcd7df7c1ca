#include "map/embedding.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace groma::map {
namespace {

constexpr Place kNowhere = ~Place{0};

/// Free or taken places with their neighbours; ranks with the number of their placed partners.
class Search {
 public:
  Search(const Lattice& lattice, const std::vector<Place>& allowed, const TrafficGraph& graph)
      : graph_(graph),
        beside_(lattice.places()),
        free_(lattice.places(), false),
        where_(graph.ranks(), kNowhere),
        placed_partners_(graph.ranks(), 0),
        by_partners_(2 * lattice.extents().size() + 2) {
    for (const Place place : allowed) free_[place] = true;
    for (const Place place : allowed) {
      for (const Place next : lattice.neighbours(place)) {
        if (free_[next]) beside_[place].push_back(next);
      }
    }
  }

  /// Whether no rank has more partners than a place has neighbours.
  [[nodiscard]] bool is_possible() const {
    std::size_t most = 0;
    for (const auto& beside : beside_) most = std::max(most, beside.size());
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      if (graph_.arcs(rank).size() > most) return false;
    }
    return true;
  }

  std::optional<Mapping> run(std::size_t steps) {
    push(next_rank());
    while (!trail_.empty() && steps-- > 0) {
      Level& level = trail_.back();
      if (where_[level.rank] != kNowhere) lift(level.rank);
      if (level.candidates.empty()) {
        trail_.pop_back();
        continue;
      }
      put(level.rank, level.candidates.back());
      level.candidates.pop_back();
      if (trail_.size() == graph_.ranks()) return where_;
      push(next_rank());
    }
    return std::nullopt;
  }

 private:
  struct Level {
    Rank rank;
    std::vector<Place> candidates;  ///< the best one last
  };

  void push(Rank rank) { trail_.push_back({rank, candidates_of(rank)}); }

  void put(Rank rank, Place place) {
    where_[rank] = place;
    free_[place] = false;
    for (const Arc& arc : graph_.arcs(rank)) {
      by_partners_[++placed_partners_[arc.to]].push_back(arc.to);
    }
  }

  void lift(Rank rank) {
    free_[where_[rank]] = true;
    where_[rank] = kNowhere;
    for (const Arc& arc : graph_.arcs(rank)) {
      by_partners_[--placed_partners_[arc.to]].push_back(arc.to);
    }
    by_partners_[placed_partners_[rank]].push_back(rank);
  }

  /// The one with the most placed partners; where none has any, the one with the fewest partners: it may be a
  /// corner.
  Rank next_rank() {
    for (std::size_t count = by_partners_.size(); count-- > 1;) {
      auto& ranks = by_partners_[count];
      while (!ranks.empty()) {
        const Rank rank = ranks.back();
        if (where_[rank] == kNowhere && placed_partners_[rank] == count) return rank;
        ranks.pop_back();
      }
    }
    Rank best = kNobody;
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      const bool fewer = best == kNobody || graph_.arcs(rank).size() < graph_.arcs(best).size();
      if (where_[rank] == kNowhere && fewer) best = rank;
    }
    return best;
  }

  [[nodiscard]] std::size_t free_beside(Place place) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(beside_[place], [&](Place next) { return free_[next]; }));
  }

  [[nodiscard]] bool fits(Rank rank, Place place) const {
    if (!free_[place]) return false;
    std::size_t open = 0;
    for (const Arc& arc : graph_.arcs(rank)) {
      const Place there = where_[arc.to];
      if (there == kNowhere) ++open;
      if (there != kNowhere && std::ranges::find(beside_[place], there) == beside_[place].end()) return false;
    }
    return free_beside(place) >= open;
  }

  /// Places beside one placed partner, or all free ones. Those with the fewest free neighbours come first:
  /// they are lost later.
  [[nodiscard]] std::vector<Place> candidates_of(Rank rank) const {
    std::vector<Place> found;
    const auto arcs = graph_.arcs(rank);
    const auto placed =
        std::ranges::find_if(arcs, [&](const Arc& arc) { return where_[arc.to] != kNowhere; });
    if (placed != arcs.end()) {
      for (const Place place : beside_[where_[placed->to]]) {
        if (fits(rank, place)) found.push_back(place);
      }
    } else {
      for (Place place = 0; place < free_.size(); ++place) {
        if (fits(rank, place)) found.push_back(place);
      }
    }
    std::ranges::sort(found, std::greater<>(),
                      [&](Place place) { return std::pair(free_beside(place), place); });
    return found;
  }

  const TrafficGraph& graph_;
  std::vector<std::vector<Place>> beside_;
  std::vector<bool> free_;
  Mapping where_;
  std::vector<std::size_t> placed_partners_;
  std::vector<std::vector<Rank>> by_partners_;  ///< with entries that no longer hold
  std::vector<Level> trail_;
};

}  // namespace

std::optional<Mapping> neighbouring_mapping(const Lattice& lattice, const std::vector<Place>& allowed,
                                            const TrafficGraph& graph, std::size_t steps) {
  if (graph.ranks() > allowed.size()) return std::nullopt;
  Search search(lattice, allowed, graph);
  return search.is_possible() ? search.run(steps) : std::nullopt;
}

}  // namespace groma::map
