// Local search on a mapping: exchanges of two ranks, and moves to free places.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "map/near_places.hpp"
#include "map/placement.hpp"

namespace groma::map {

/// The machine, the traffic and the places that a search may use.
template <class Distance>
struct SearchSpace {
  const Distance& target;
  const TrafficGraph& graph;
  const std::vector<Place>& allowed;
  const NearPlaces& near;
};

/// All exchanges are compared where that looks at no more partners of ranks.
constexpr std::size_t kMaxLooks = 3'000'000;

/// The best place for `rank` among those that `each` calls its argument with, if it lowers the cost.
template <class Distance, class Each>
bool take_best(Occupancy<Distance>& occupancy, Rank rank, double least, const Each& each) {
  double best = -least;
  Place where = occupancy.place(rank);
  each([&](Place place) {
    if (place == occupancy.place(rank)) return;
    const double change = occupancy.change(rank, place);
    if (change < best) {
      best = change;
      where = place;
    }
  });
  if (where == occupancy.place(rank)) return false;
  occupancy.exchange(rank, where);
  return true;
}

/// Where a descent tries a rank: on all places, or where these are too many, on those near to partners, each
/// once.
template <class Distance>
class PlacesToTry {
 public:
  explicit PlacesToTry(const SearchSpace<Distance>& space)
      : space_(space),
        all_(space.allowed.size() * space.graph.arcs() <= kMaxLooks),
        seen_(space.target.places(), 0) {}

  template <class Look>
  void each(const Occupancy<Distance>& occupancy, Rank rank, const Look& look) {
    const auto arcs = space_.graph.arcs(rank);
    if (all_ || space_.allowed.size() <= NearPlaces::kMost * arcs.size()) {
      for (const Place place : space_.allowed) look(place);
      return;
    }
    ++now_;
    for (const Arc& arc : arcs) {
      for (const Place place : space_.near.of(occupancy.place(arc.to))) {
        if (std::exchange(seen_[place], now_) != now_) look(place);
      }
    }
  }

 private:
  const SearchSpace<Distance>& space_;
  bool all_;
  std::vector<std::uint64_t> seen_;  ///< when each place was last tried
  std::uint64_t now_ = 0;
};

/// Partners of ranks that a descent looks at before it ends: less than a second for 512 ranks.
inline std::size_t looks_of_descent(const TrafficGraph& graph) {
  return 200'000'000 + 60'000 * graph.ranks();
}

/// Takes exchanges that lower the cost until none does, or until that is too much work. Never raises the
/// cost.
template <class Distance>
Mapping descended(const SearchSpace<Distance>& space, Mapping mapping) {
  const double least = 1e-9 * (1.0 + hop_bytes(space.target, space.graph, mapping) /
                                         (1.0 + static_cast<double>(mapping.size())));
  Occupancy occupancy(space.target, space.graph, std::move(mapping));
  PlacesToTry<Distance> places(space);
  const std::size_t most = looks_of_descent(space.graph);
  std::size_t looks = 0;
  constexpr int kMaxSweeps = 60;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool better = false;
    for (Rank rank = 0; rank < space.graph.ranks() && looks < most; ++rank) {
      better |= take_best(occupancy, rank, least, [&](const auto& look) {
        places.each(occupancy, rank, [&](Place place) {
          looks += occupancy.partners(rank, place);
          look(place);
        });
      });
    }
    if (!better) break;
  }
  return occupancy.mapping();
}

/// How an annealing runs: exchanges tried, and temperatures as shares of the usual change of an exchange.
struct Schedule {
  std::size_t trials;
  double hot;
  double cold;
};

/// Simulated annealing (Kirkpatrick et al. 1983) with a geometric schedule. Half of the trials put a rank
/// near to a partner, the others anywhere.
template <class Distance>
class Annealing {
 public:
  Annealing(const SearchSpace<Distance>& space, Mapping start, RandomStream& random)
      : space_(space), occupancy_(space.target, space.graph, std::move(start)), random_(random) {}

  Mapping run(const Schedule& schedule) {
    const double usual = usual_change();
    if (usual <= 0.0) return occupancy_.mapping();
    constexpr std::size_t kSteps = 256;
    const double factor = std::pow(schedule.cold / schedule.hot, 1.0 / kSteps);
    double temperature = schedule.hot * usual;
    for (std::size_t step = 0; step < kSteps; ++step) {
      for (std::size_t trial = schedule.trials / kSteps; trial > 0; --trial) try_one(temperature);
      temperature *= factor;
    }
    return occupancy_.mapping();
  }

 private:
  struct Trial {
    Rank rank;
    Place place;
  };

  void try_one(double temperature) {
    const Trial trial = draw();
    if (trial.place == occupancy_.place(trial.rank)) return;
    const double change = occupancy_.change(trial.rank, trial.place);
    if (change > 0.0 && uniform() >= std::exp(-change / temperature)) return;
    occupancy_.exchange(trial.rank, trial.place);
  }

  Trial draw() {
    const Rank rank = static_cast<Rank>(random_.below(space_.graph.ranks()));
    const auto arcs = space_.graph.arcs(rank);
    if (!arcs.empty() && random_.below(2) == 0) {
      const auto near = space_.near.of(occupancy_.place(arcs[random_.below(arcs.size())].to));
      if (!near.empty()) return {rank, near[random_.below(near.size())]};
    }
    return {rank, space_.allowed[random_.below(space_.allowed.size())]};
  }

  double uniform() { return static_cast<double>(random_.next() >> 11U) * 0x1p-53; }

  /// Mean size of the change of a trial.
  double usual_change() {
    constexpr int kDraws = 2000;
    double sum = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      const Trial trial = draw();
      if (trial.place != occupancy_.place(trial.rank)) {
        sum += std::abs(occupancy_.change(trial.rank, trial.place));
      }
    }
    return sum / kDraws;
  }

  const SearchSpace<Distance>& space_;
  Occupancy<Distance> occupancy_;
  RandomStream& random_;
};

}  // namespace groma::map
