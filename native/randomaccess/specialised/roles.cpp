#include "randomaccess/specialised/roles.hpp"

#include <algorithm>

namespace groma::randomaccess {
namespace {

/// `part` of `whole` ranks, rounded.
int share_of(int ranks, int part, int whole) {
  return (2 * ranks * part + whole) / (2 * whole);
}

}  // namespace

Roles::Roles(int ranks, int routers, int dimensions)
    : ranks_(ranks), routers_(routers), dimensions_(dimensions) {}

int Roles::lanes() const {
  return (routers_ + stages_on_lane() - 1) / stages_on_lane();
}

int Roles::lane(int rank) const {
  int lane = 0;
  while (first_of_lane(lane + 1) <= rank) ++lane;
  return lane;
}

Stages Roles::stages(int rank) const {
  if (updates(rank)) return {dimensions_, dimensions_ + static_cast<int>(!is_delivered_by_routers())};
  const int first = first_of_lane(lane(rank));
  const int together = first_of_lane(lane(rank) + 1) - first;
  const auto edge = [&](int which) { return stages_on_lane() * which / together; };
  return {edge(rank - first), edge(rank - first + 1)};
}

int Roles::rank_at(int lane, int stage) const {
  for (int rank = first_of_lane(lane); rank < first_of_lane(lane + 1); ++rank) {
    if (stages(rank).has(stage)) return rank;
  }
  return routers_;
}

std::vector<int> Roles::targets(int rank) const {
  std::vector<int> all;
  if (updates(rank)) return all;
  const int end_of_lane = first_of_lane(lane(rank) + 1);
  for (int later = rank + 1; later < end_of_lane; ++later) {
    if (stages(later).first < dimensions_) all.push_back(later);
  }
  for (int updater = routers_; updater < ranks_; ++updater) all.push_back(updater);
  return all;
}

std::vector<int> Roles::sources(int rank) const {
  std::vector<int> all;
  for (int earlier = 0; earlier < routers_; ++earlier) {
    const auto to = targets(earlier);
    if (std::ranges::find(to, rank) != to.end()) all.push_back(earlier);
  }
  return all;
}

std::string Roles::name(int rank) const {
  if (updates(rank)) return "update";
  const Stages own = stages(rank);
  std::string text = own.has(0) ? "generate" : "";
  for (int stage = own.first; stage < own.end; ++stage) {
    if (dimensions_ == 0) break;
    const bool routes = stage < dimensions_;
    text += (text.empty() ? "" : ", ") + (routes ? "route " + std::to_string(stage + 1) : "deliver");
  }
  return text;
}

int usual_routers(int ranks, int dimensions) {
  // Generating took 3.2 ns an update, updating 7.5 (docs/hpcc/random_access_specialised.md).
  const int wanted = dimensions == 0 ? share_of(ranks, 3, 10) : share_of(ranks, dimensions, dimensions + 1);
  return std::clamp(wanted, 1, std::max(1, ranks - 1));
}

}  // namespace groma::randomaccess
