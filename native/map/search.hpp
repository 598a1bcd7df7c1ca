// Local search on a mapping: exchanges of two ranks, and moves to free places.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "map/near_places.hpp"
#include "map/placement.hpp"

namespace groma::map {

/// What the search knows of the machine and of the traffic.
template <class Distance>
struct Ground {
  const Distance& target;
  const TrafficGraph& graph;
  const std::vector<Place>& allowed;
  const NearPlaces& near;
};

/// All exchanges are compared where that looks at no more partners of ranks.
constexpr std::size_t kMostLooks = 3'000'000;

/// The best place for `rank` among those that `each` calls its argument with, if it lowers the cost.
template <class Distance, class Each>
bool take_best(Occupation<Distance>& occupation, Rank rank, double least, const Each& each) {
  double best = -least;
  Place where = occupation.place(rank);
  each([&](Place place) {
    if (place == occupation.place(rank)) return;
    const double change = occupation.change(rank, place);
    if (change < best) {
      best = change;
      where = place;
    }
  });
  if (where == occupation.place(rank)) return false;
  occupation.exchange(rank, where);
  return true;
}

/// Takes exchanges that lower the cost until none does. Where all are too many, only those with
/// places near to partners are looked at. Never raises the cost.
template <class Distance>
Mapping descended(const Ground<Distance>& ground, Mapping mapping) {
  const double least = 1e-9 * (1.0 + hop_bytes(ground.target, ground.graph, mapping) /
                                         (1.0 + static_cast<double>(mapping.size())));
  Occupation occupation(ground.target, ground.graph, std::move(mapping));
  const bool all = ground.allowed.size() * ground.graph.arcs() <= kMostLooks;
  constexpr int kMostSweeps = 60;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool better = false;
    for (Rank rank = 0; rank < ground.graph.ranks(); ++rank) {
      better |= take_best(occupation, rank, least, [&](const auto& look) {
        if (all) {
          for (const Place place : ground.allowed) look(place);
          return;
        }
        for (const Arc& arc : ground.graph.arcs(rank)) {
          for (const Place place : ground.near.of(occupation.place(arc.to))) look(place);
        }
      });
    }
    if (!better) break;
  }
  return occupation.mapping();
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
  Annealing(const Ground<Distance>& ground, Mapping start, RandomStream& random)
      : ground_(ground), occupation_(ground.target, ground.graph, std::move(start)), random_(random) {}

  Mapping run(const Schedule& schedule) {
    const double usual = usual_change();
    if (usual <= 0.0) return occupation_.mapping();
    constexpr std::size_t kSteps = 256;
    const double factor = std::pow(schedule.cold / schedule.hot, 1.0 / kSteps);
    double temperature = schedule.hot * usual;
    for (std::size_t step = 0; step < kSteps; ++step) {
      for (std::size_t trial = schedule.trials / kSteps; trial > 0; --trial) try_one(temperature);
      temperature *= factor;
    }
    return occupation_.mapping();
  }

 private:
  struct Trial {
    Rank rank;
    Place place;
  };

  void try_one(double temperature) {
    const Trial trial = draw();
    if (trial.place == occupation_.place(trial.rank)) return;
    const double change = occupation_.change(trial.rank, trial.place);
    if (change > 0.0 && uniform() >= std::exp(-change / temperature)) return;
    occupation_.exchange(trial.rank, trial.place);
  }

  Trial draw() {
    const Rank rank = static_cast<Rank>(random_.below(ground_.graph.ranks()));
    const auto arcs = ground_.graph.arcs(rank);
    if (!arcs.empty() && random_.below(2) == 0) {
      const auto near = ground_.near.of(occupation_.place(arcs[random_.below(arcs.size())].to));
      if (!near.empty()) return {rank, near[random_.below(near.size())]};
    }
    return {rank, ground_.allowed[random_.below(ground_.allowed.size())]};
  }

  double uniform() { return static_cast<double>(random_.next() >> 11U) * 0x1p-53; }

  /// Mean size of the change of a trial.
  double usual_change() {
    constexpr int kDraws = 2000;
    double sum = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      const Trial trial = draw();
      if (trial.place != occupation_.place(trial.rank)) {
        sum += std::abs(occupation_.change(trial.rank, trial.place));
      }
    }
    return sum / kDraws;
  }

  const Ground<Distance>& ground_;
  Occupation<Distance> occupation_;
  RandomStream& random_;
};

}  // namespace groma::map
