// Mappings whose busiest link carries little.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "map/routes.hpp"
#include "map/search.hpp"

namespace groma::map {

/// Bytes of every link under a mapping.
template <class Routed>
std::vector<double> link_loads(const Routed& target, const TrafficGraph& graph, const Mapping& mapping) {
  std::vector<double> loads(links_of(target), 0.0);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const Arc& arc : graph.arcs(rank)) {
      for_each_link(target, mapping[rank], mapping[arc.to],
                    [&](std::size_t link) { loads[link] += arc.sent; });
    }
  }
  return loads;
}

template <class Routed>
double busiest_link(const Routed& target, const TrafficGraph& graph, const Mapping& mapping) {
  const auto loads = link_loads(target, graph, mapping);
  return *std::ranges::max_element(loads);
}

/// Simulated annealing of the sum of the eighth powers of all loads, in which the busiest links count most.
/// Keeps the mapping with the least busiest link that it meets.
template <class Routed>
class CongestionAnnealing {
 public:
  CongestionAnnealing(const SearchSpace<Routed>& space, Mapping start, RandomStream& random)
      : space_(space),
        occupancy_(space.target, space.graph, std::move(start)),
        random_(random),
        loads_(link_loads(space.target, space.graph, occupancy_.mapping())),
        best_(occupancy_.mapping()),
        least_(*std::ranges::max_element(loads_)) {}

  Mapping run(const Schedule& schedule) {
    if (least_ <= 0.0) return best_;
    scale_ = 1.0 / least_;
    constexpr std::size_t kSteps = 256;
    const double factor = std::pow(schedule.cold / schedule.hot, 1.0 / kSteps);
    double temperature = schedule.hot * usual_change();
    if (temperature <= 0.0) return best_;
    for (std::size_t step = 0; step < kSteps; ++step) {
      for (std::size_t trial = schedule.trials / kSteps; trial > 0; --trial) try_one(temperature);
      keep();
      temperature *= factor;
    }
    return best_;
  }

 private:
  void keep() {
    const double busiest = *std::ranges::max_element(loads_);
    if (busiest >= least_) return;
    least_ = busiest;
    best_ = occupancy_.mapping();
  }

  /// Power of the load of a link, in units of the busiest one at the start.
  [[nodiscard]] double power(double load) const {
    const double second = load * scale_ * load * scale_;
    const double fourth = second * second;
    return fourth * fourth;
  }

  void carry(std::size_t link, double bytes) {
    change_ -= power(loads_[link]);
    loads_[link] += bytes;
    change_ += power(loads_[link]);
  }

  /// Adds what `rank` sends and receives (`sign` 1), or takes it away (-1). Traffic with `partner` is left to
  /// the partner.
  void route(Rank rank, Rank partner, double sign) {
    for (const Arc& arc : space_.graph.arcs(rank)) {
      if (arc.to == partner) continue;
      const Place here = occupancy_.place(rank);
      const Place there = occupancy_.place(arc.to);
      const double received = arc.bytes - arc.sent;
      for_each_link(space_.target, here, there, [&](std::size_t link) { carry(link, sign * arc.sent); });
      for_each_link(space_.target, there, here, [&](std::size_t link) { carry(link, sign * received); });
    }
  }

  /// The change of the sum.
  double exchange(Rank rank, Place place) {
    const Rank other = occupancy_.at(place);
    change_ = 0.0;
    route(rank, other, -1.0);
    if (other != kNobody) route(other, kNobody, -1.0);
    occupancy_.exchange(rank, place);
    route(rank, other, 1.0);
    if (other != kNobody) route(other, kNobody, 1.0);
    return change_;
  }

  void try_one(double temperature) {
    const Rank rank = static_cast<Rank>(random_.below(space_.graph.ranks()));
    const Place from = occupancy_.place(rank);
    const Place place = drawn_place(rank);
    if (place == from) return;
    const double change = exchange(rank, place);
    if (change > 0.0 && uniform() >= std::exp(-change / temperature)) exchange(rank, from);
  }

  Place drawn_place(Rank rank) {
    const auto arcs = space_.graph.arcs(rank);
    if (!arcs.empty() && random_.below(2) == 0) {
      const auto near = space_.near.of(occupancy_.place(arcs[random_.below(arcs.size())].to));
      if (!near.empty()) return near[random_.below(near.size())];
    }
    return space_.allowed[random_.below(space_.allowed.size())];
  }

  double uniform() { return static_cast<double>(random_.next() >> 11U) * 0x1p-53; }

  double usual_change() {
    constexpr int kDraws = 200;
    double sum = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      const Rank rank = static_cast<Rank>(random_.below(space_.graph.ranks()));
      const Place from = occupancy_.place(rank);
      const Place place = drawn_place(rank);
      if (place == from) continue;
      sum += std::abs(exchange(rank, place));
      exchange(rank, from);
    }
    return sum / kDraws;
  }

  const SearchSpace<Routed>& space_;
  Occupancy<Routed> occupancy_;
  RandomStream& random_;
  std::vector<double> loads_;
  Mapping best_;
  double least_;
  double scale_ = 1.0;
  double change_ = 0.0;
};

}  // namespace groma::map
