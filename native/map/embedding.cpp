#include "map/embedding.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

namespace groma::map {
namespace {

constexpr Place kNowhere = ~Place{0};

/// A set of places that finds its next member fast.
class PlaceSet {
 public:
  explicit PlaceSet(std::size_t places) : words_(places / 64 + 1, 0), summary_(words_.size() / 64 + 1, 0) {}

  void insert(Place place) {
    set(words_, place);
    set(summary_, place / 64);
  }

  void erase(Place place) {
    words_[place / 64] &= ~(std::uint64_t{1} << place % 64);
    if (words_[place / 64] == 0) summary_[place / 64 / 64] &= ~(std::uint64_t{1} << place / 64 % 64);
  }

  /// The least member from `from` on; kNowhere where there is none.
  [[nodiscard]] Place next(std::size_t from) const {
    if (from / 64 >= words_.size()) return kNowhere;
    const std::uint64_t rest = words_[from / 64] >> from % 64 << from % 64;
    if (rest != 0) return lowest(rest, from / 64);
    std::size_t block = from / 64 + 1;
    for (std::size_t at = block / 64; at < summary_.size(); ++at, block = at * 64) {
      const std::uint64_t filled = summary_[at] >> block % 64 << block % 64;
      if (filled == 0) continue;
      const std::size_t word = lowest(filled, at);
      return lowest(words_[word], word);
    }
    return kNowhere;
  }

 private:
  static void set(std::vector<std::uint64_t>& words, std::size_t bit) {
    words[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  static Place lowest(std::uint64_t word, std::size_t number) {
    return static_cast<Place>(number * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;  ///< which words are not 0
};

/// Free places by the number of their free neighbours.
class FreePlaces {
 public:
  FreePlaces(const Lattice& lattice, const std::vector<Place>& allowed)
      : beside_(lattice.places()), free_(lattice.places(), false), free_beside_(lattice.places(), 0) {
    for (const Place place : allowed) free_[place] = true;
    for (const Place place : allowed) {
      for (const Place next : lattice.neighbours(place)) {
        if (free_[next]) beside_[place].push_back(next);
      }
      free_beside_[place] = beside_[place].size();
      most_ = std::max(most_, beside_[place].size());
    }
    by_free_beside_.assign(most_ + 1, PlaceSet(lattice.places()));
    for (const Place place : allowed) by_free_beside_[free_beside_[place]].insert(place);
  }

  /// Neighbours that any place has.
  [[nodiscard]] std::size_t most() const { return most_; }
  [[nodiscard]] const std::vector<Place>& beside(Place place) const { return beside_[place]; }
  [[nodiscard]] bool is_free(Place place) const { return free_[place]; }
  [[nodiscard]] std::size_t free_beside(Place place) const { return free_beside_[place]; }

  void take(Place place) {
    free_[place] = false;
    by_free_beside_[free_beside_[place]].erase(place);
    for (const Place next : beside_[place]) recount(next, free_beside_[next] - 1);
  }

  void give(Place place) {
    free_[place] = true;
    by_free_beside_[free_beside_[place]].insert(place);
    for (const Place next : beside_[place]) recount(next, free_beside_[next] + 1);
  }

  /// The first free place from `from` on in the order of (free neighbours, number), if there is one.
  [[nodiscard]] std::optional<Place> next(std::size_t free_neighbours, std::size_t from) const {
    for (std::size_t count = free_neighbours; count < by_free_beside_.size(); ++count, from = 0) {
      const Place found = by_free_beside_[count].next(from);
      if (found != kNowhere) return found;
    }
    return std::nullopt;
  }

 private:
  void recount(Place place, std::size_t count) {
    if (free_[place]) {
      by_free_beside_[free_beside_[place]].erase(place);
      by_free_beside_[count].insert(place);
    }
    free_beside_[place] = count;
  }

  std::vector<std::vector<Place>> beside_;
  std::vector<bool> free_;
  std::vector<std::size_t> free_beside_;
  std::vector<PlaceSet> by_free_beside_;
  std::size_t most_ = 0;
};

/// Ranks that talk are placed one by one, with a trail back. Every step looks at few places and ranks.
class Search {
 public:
  Search(const Lattice& lattice, const std::vector<Place>& allowed, const TrafficGraph& graph)
      : graph_(graph),
        places_(lattice, allowed),
        where_(graph.ranks(), kNowhere),
        placed_partners_(graph.ranks(), 0),
        by_partners_(places_.most() + 1) {
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      if (!graph.arcs(rank).empty()) talking_.push_back(rank);
    }
    std::ranges::sort(talking_, {}, [&](Rank rank) { return std::pair(graph.arcs(rank).size(), rank); });
  }

  /// Whether no rank has more partners than a place has neighbours.
  [[nodiscard]] bool is_possible() const {
    return talking_.empty() || graph_.arcs(talking_.back()).size() <= places_.most();
  }

  std::optional<Mapping> run(std::size_t steps) {
    steps_ = steps;
    if (talking_.empty()) return filled();
    push();
    while (!trail_.empty() && steps_ > 0) {
      --steps_;
      Level& level = trail_.back();
      if (where_[level.rank] != kNowhere) lift(level.rank);
      const auto place = next_place(level);
      if (!place) {
        trail_.pop_back();
        continue;
      }
      put(level.rank, *place);
      if (trail_.size() == talking_.size()) return filled();
      push();
    }
    return std::nullopt;
  }

 private:
  /// A rank and the places that are left for it.
  struct Level {
    Rank rank;
    std::size_t placed;             ///< of talking_: all before are on the trail
    bool anywhere;                  ///< no partner is placed: any free place will do
    std::vector<Place> candidates;  ///< beside a placed partner, the best one last
    std::size_t free_neighbours;    ///< of the next place anywhere, at least
    std::size_t from;               ///< this one or a later one of them
  };

  void push() {
    std::size_t placed = trail_.empty() ? 0 : trail_.back().placed;
    const auto beside = most_bound();
    while (!beside && where_[talking_[placed]] != kNowhere) {
      ++placed;
      steps_ -= std::min<std::size_t>(steps_, 1);
    }
    const Rank rank = beside.value_or(talking_[placed]);
    trail_.push_back({rank, placed, !beside, candidates_of(rank), graph_.arcs(rank).size(), 0});
  }

  /// Those with the fewest free neighbours come first: they are lost later.
  std::optional<Place> next_place(Level& level) const {
    if (level.anywhere) {
      const auto place = places_.next(level.free_neighbours, level.from);
      if (!place) return std::nullopt;
      level.free_neighbours = places_.free_beside(*place);
      level.from = std::size_t{*place} + 1;
      return place;
    }
    if (level.candidates.empty()) return std::nullopt;
    const Place place = level.candidates.back();
    level.candidates.pop_back();
    return place;
  }

  void put(Rank rank, Place place) {
    where_[rank] = place;
    places_.take(place);
    for (const Arc& arc : graph_.arcs(rank)) {
      ++placed_partners_[arc.to];
      await(arc.to);
    }
  }

  void lift(Rank rank) {
    places_.give(where_[rank]);
    where_[rank] = kNowhere;
    for (const Arc& arc : graph_.arcs(rank)) {
      --placed_partners_[arc.to];
      await(arc.to);
    }
    await(rank);
  }

  void await(Rank rank) {
    if (placed_partners_[rank] > 0) by_partners_[placed_partners_[rank]].push_back(rank);
  }

  /// The rank with the most placed partners, where one has any. Where none has, the one with the fewest
  /// partners is next: it may be a corner.
  std::optional<Rank> most_bound() {
    for (std::size_t count = by_partners_.size(); count-- > 1;) {
      auto& ranks = by_partners_[count];
      while (!ranks.empty()) {
        const Rank rank = ranks.back();
        if (where_[rank] == kNowhere && placed_partners_[rank] == count) return rank;
        ranks.pop_back();
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool fits(Rank rank, Place place) const {
    if (!places_.is_free(place)) return false;
    const auto& beside = places_.beside(place);
    for (const Arc& arc : graph_.arcs(rank)) {
      const Place there = where_[arc.to];
      if (there != kNowhere && std::ranges::find(beside, there) == beside.end()) return false;
    }
    return places_.free_beside(place) >= graph_.arcs(rank).size() - placed_partners_[rank];
  }

  /// Places beside one placed partner, if there is one.
  [[nodiscard]] std::vector<Place> candidates_of(Rank rank) const {
    std::vector<Place> found;
    const auto arcs = graph_.arcs(rank);
    const auto placed =
        std::ranges::find_if(arcs, [&](const Arc& arc) { return where_[arc.to] != kNowhere; });
    if (placed == arcs.end()) return found;
    for (const Place place : places_.beside(where_[placed->to])) {
      if (fits(rank, place)) found.push_back(place);
    }
    std::ranges::sort(found, std::greater<>(),
                      [&](Place place) { return std::pair(places_.free_beside(place), place); });
    return found;
  }

  /// Ranks that talk to none get the places that are left.
  [[nodiscard]] Mapping filled() const {
    Place place = 0;
    Mapping mapping = where_;
    for (Place& own : mapping) {
      if (own != kNowhere) continue;
      while (!places_.is_free(place)) ++place;
      own = place++;
    }
    return mapping;
  }

  const TrafficGraph& graph_;
  FreePlaces places_;
  Mapping where_;
  std::vector<Rank> talking_;  ///< those with the fewest partners first
  std::vector<std::size_t> placed_partners_;
  std::vector<std::vector<Rank>> by_partners_;  ///< with entries that no longer hold
  std::vector<Level> trail_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<Mapping> neighbouring_mapping(const Lattice& lattice, const std::vector<Place>& allowed,
                                            const TrafficGraph& graph, std::size_t steps) {
  if (graph.ranks() > allowed.size()) return std::nullopt;
  Search search(lattice, allowed, graph);
  return search.is_possible() ? search.run(steps) : std::nullopt;
}

}  // namespace groma::map
