// Who is where while a mapping is being improved, and what a change of places costs.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "map/target.hpp"
#include "map/traffic.hpp"

namespace groma::map {

constexpr Rank kNobody = std::numeric_limits<Rank>::max();

/// The place of every rank.
using Mapping = std::vector<Place>;

/// Bytes times distance over all pairs of ranks.
template <class Distance>
double hop_bytes(const Distance& target, const TrafficGraph& graph, const Mapping& mapping) {
  double sum = 0.0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const Arc& arc : graph.arcs(rank)) {
      sum += arc.bytes * target.distance(mapping[rank], mapping[arc.to]);
    }
  }
  return sum / 2.0;
}

/// A mapping with the rank at each place.
template <class Distance>
class Occupancy {
 public:
  Occupancy(const Distance& target, const TrafficGraph& graph, Mapping mapping)
      : target_(target), graph_(graph), mapping_(std::move(mapping)), at_(target.places(), kNobody) {
    for (Rank rank = 0; rank < mapping_.size(); ++rank) at_[mapping_[rank]] = rank;
  }

  [[nodiscard]] const Mapping& mapping() const { return mapping_; }
  [[nodiscard]] Place place(Rank rank) const { return mapping_[rank]; }
  [[nodiscard]] Rank at(Place place) const { return at_[place]; }

  /// Change of hop-bytes if `rank` goes to `place`, and who is there takes the place of `rank`.
  [[nodiscard]] double change(Rank rank, Place place) const {
    const Rank other = at_[place];
    const Place from = mapping_[rank];
    const double own = moved(rank, from, place, other);
    return other == kNobody ? own : own + moved(other, place, from, rank);
  }

  /// Those that `change` looks at.
  [[nodiscard]] std::size_t partners(Rank rank, Place place) const {
    const Rank other = at_[place];
    return graph_.arcs(rank).size() + (other == kNobody ? 0 : graph_.arcs(other).size());
  }

  void exchange(Rank rank, Place place) {
    const Rank other = at_[place];
    const Place from = mapping_[rank];
    at_[from] = other;
    at_[place] = rank;
    mapping_[rank] = place;
    if (other != kNobody) mapping_[other] = from;
  }

 private:
  /// The distance to a partner in an exchange stays as it is.
  [[nodiscard]] double moved(Rank rank, Place from, Place to, Rank partner) const {
    double change = 0.0;
    for (const Arc& arc : graph_.arcs(rank)) {
      if (arc.to == partner) continue;
      const Place there = mapping_[arc.to];
      change += arc.bytes * (target_.distance(to, there) - target_.distance(from, there));
    }
    return change;
  }

  const Distance& target_;
  const TrafficGraph& graph_;
  Mapping mapping_;
  std::vector<Rank> at_;
};

}  // namespace groma::map
