#include "randomaccess/algorithm.hpp"

#include <functional>
#include <numeric>

#include "job/counted.hpp"

namespace groma::randomaccess {
namespace {

template <class Fits>
std::string names(Fits fits) {
  std::string all;
  for (const Algorithm* one : Algorithms::all()) {
    if (fits(*one)) all += (all.empty() ? "" : ", ") + std::string(one->name);
  }
  return all;
}

std::int64_t places_in(const std::vector<int>& grid) {
  return std::accumulate(grid.begin(), grid.end(), std::int64_t{1}, std::multiplies<>());
}

std::string subject(const Algorithm& one) {
  return "the algorithm '" + std::string(one.name) + "' of RandomAccess ";
}

/// What was asked for that the algorithm has no use for.
Status check_use(const Algorithm& one, const Site& site) {
  if (!site.grid.empty() && one.grid == nullptr) {
    return Error{"usage", subject(one) + "takes no grid", "omit the grid, or choose the algorithm route"};
  }
  if (site.routers != 0 && !one.has_routers) {
    return Error{"usage", subject(one) + "has no ranks that only route",
                 "omit their number, or choose the algorithm specialise"};
  }
  return Done{};
}

Status check_grid(const Algorithm& one, const Site& site) {
  const int needed = one.places_on(site);
  if (site.grid.empty() || places_in(site.grid) == needed) return Done{};
  const std::string whose = one.places == nullptr ? "rank" : "node";
  return Error{"usage",
               "the grid " + grid_text(site.grid) + " has " + job::counted(places_in(site.grid), "place") +
                   " for " + job::counted(needed, whose),
               "give lengths whose product is the number of " + whose + "s"};
}

bool can_run(const Algorithm& one, const Site& site) {
  return check_use(one, site) && check_grid(one, site) && one.unsupported_reason(site).empty();
}

Error no_algorithm() {
  return {"usage", "no algorithm of RandomAccess can run on these ranks",
          "allow more look-ahead, or place all ranks on one node"};
}

/// What to do where no algorithm can run: without what was asked for one usually could.
std::string step_without_any(const Site& site) {
  const bool asked = site.routers != 0 || !site.grid.empty();
  return asked ? "change --mapping-mode, --routers or --grid, or leave them out" : no_algorithm().next;
}

Status check_site(const Algorithm& one, const Site& site) {
  if (const Status use = check_use(one, site); !use) return use;
  if (const Status grid = check_grid(one, site); !grid) return grid;
  const std::string reason = one.unsupported_reason(site);
  if (reason.empty()) return Done{};
  const std::string others = names([&](const Algorithm& other) { return can_run(other, site); });
  return Error{"usage", subject(one) + "cannot run here: " + reason,
               others.empty() ? step_without_any(site) : "let groma choose, or take one of " + others};
}

const Algorithm* best_for(const Site& site) {
  const Algorithm* best = nullptr;
  for (const Algorithm* one : Algorithms::all()) {
    const bool better = best == nullptr || one->priority(site) > best->priority(site);
    if (better && can_run(*one, site)) best = one;
  }
  return best;
}

/// Where no algorithm suits. One that could use what was asked for says why.
Error none_for(const Site& site) {
  const bool asks = !site.grid.empty() || site.routers != 0;
  for (const Algorithm* one : Algorithms::all()) {
    if (!asks || !check_use(*one, site)) continue;
    if (const Status fits = check_site(*one, site); !fits) return fits.error();
  }
  return no_algorithm();
}

Result<const Algorithm*> named(const std::string& name) {
  if (const Algorithm* one = Algorithms::find(name)) return one;
  return Error{"usage", "no algorithm of RandomAccess is called '" + name + "'",
               "there are " + names([](const Algorithm&) { return true; })};
}

}  // namespace

Status known_algorithm(const std::string& name) {
  if (name.empty()) return Done{};
  const auto found = named(name);
  return found ? Status(Done{}) : Status(found.error());
}

Result<const Algorithm*> choose_algorithm(const std::string& name, const Site& site) {
  if (name.empty()) {
    if (const Algorithm* best = best_for(site)) return best;
    return none_for(site);
  }
  auto found = named(name);
  if (!found) return found.error();
  if (const Status fits = check_site(*found.value(), site); !fits) return fits.error();
  return found;
}

Site site_of(const mpi::Communicator& world) {
  const mpi::Communicator node = world.split_by_node();
  const auto all = [&](bool here) {
    return world.reduce_to_all(std::int32_t{here}, mpi::Reduction::kMin) != 0;
  };
  const bool neighbours = world.rank() % node.size() == node.rank();
  const bool even = world.reduce_to_all(node.size(), mpi::Reduction::kMax) ==
                    world.reduce_to_all(node.size(), mpi::Reduction::kMin);
  const bool together = all(node.size() == world.size());
  return {.ranks = world.size(),
          .one_node = together,
          .per_node = all(neighbours && even) ? node.size() : 0,
          .placement = {.nodes = nodes_of(world, node)}};
}

std::string grid_text(const std::vector<int>& grid) {
  std::string text;
  for (const int length : grid) text += (text.empty() ? "" : "x") + std::to_string(length);
  return text;
}

}  // namespace groma::randomaccess
