// Mapping by dual recursive bisection (Pellegrini 1994): ranks and places are halved together.
#pragma once

#include <deque>
#include <vector>

#include "map/bisection.hpp"
#include "map/placement.hpp"

namespace groma::map {

/// Level by level, so that ranks outside of a part are known to equal precision.
template <class Distance>
class RecursiveBisection {
 public:
  RecursiveBisection(const Distance& target, const TrafficGraph& graph, RandomStream& random)
      : target_(target), graph_(graph), bisector_(graph, random), where_(graph.ranks()) {}

  Mapping run(std::vector<Place> allowed) {
    std::vector<Rank> all(graph_.ranks());
    for (Rank rank = 0; rank < all.size(); ++rank) all[rank] = rank;
    std::deque<Part> parts;
    parts.push_back({std::move(all), std::move(allowed)});
    settle(parts.front());
    while (!parts.empty()) {
      Part part = std::move(parts.front());
      parts.pop_front();
      if (part.ranks.size() > 1 || (part.places.size() > 1 && !part.ranks.empty())) halve(part, parts);
    }
    return where_;
  }

 private:
  struct Part {
    std::vector<Rank> ranks;
    std::vector<Place> places;
  };

  /// Its ranks count as being at its middle place until it is halved.
  void settle(const Part& part) {
    for (const Rank rank : part.ranks) where_[rank] = part.places[part.places.size() / 2];
  }

  void halve(Part& part, std::deque<Part>& parts) {
    Halves halves = target_split(part.places);
    const std::size_t first = ranks_of_first(part.ranks.size(), halves);
    const std::vector<bool> side = sides(part, halves, first);
    Part one{{}, std::move(halves.first)};
    Part other{{}, std::move(halves.second)};
    for (std::size_t i = 0; i < part.ranks.size(); ++i) {
      (side[i] ? one : other).ranks.push_back(part.ranks[i]);
    }
    for (Part* half : {&one, &other}) {
      settle(*half);
      parts.push_back(std::move(*half));
    }
  }

  Halves target_split(std::vector<Place>& places) { return split(target_, std::move(places)); }

  /// As many as there are places in proportion; fewer ranks than places stay together.
  static std::size_t ranks_of_first(std::size_t ranks, const Halves& halves) {
    return std::min(ranks, halves.first.size());
  }

  std::vector<bool> sides(const Part& part, const Halves& halves, std::size_t first) {
    if (first == part.ranks.size()) return std::vector<bool>(part.ranks.size(), true);
    const Place one = halves.first[halves.first.size() / 2];
    const Place other = halves.second[halves.second.size() / 2];
    mark_.resize(graph_.ranks(), 0);
    ++stamp_;
    for (const Rank rank : part.ranks) mark_[rank] = stamp_;
    std::vector<double> bias(part.ranks.size(), 0.0);
    for (std::size_t i = 0; i < part.ranks.size(); ++i) {
      for (const Arc& arc : graph_.arcs(part.ranks[i])) {
        if (mark_[arc.to] == stamp_) continue;
        const Place there = where_[arc.to];
        bias[i] += arc.bytes * (target_.distance(other, there) - target_.distance(one, there));
      }
    }
    return bisector_.split({part.ranks, first, bias, target_.distance(one, other)});
  }

  const Distance& target_;
  const TrafficGraph& graph_;
  Bisector bisector_;
  Mapping where_;
  std::vector<std::uint32_t> mark_;
  std::uint32_t stamp_ = 0;
};

}  // namespace groma::map
