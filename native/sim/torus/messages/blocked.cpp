#include "sim/torus/messages/blocked.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace groma::sim::torus {
namespace {

enum class Mark : std::uint8_t { kNew, kOnPath, kLeft };

struct Visit {
  std::size_t at;    ///< in the list of the blocked
  std::size_t next;  ///< of the ranks for which it waits
};

}  // namespace

/// Depth first, without recursion: chains may be as long as there are ranks.
std::vector<Rank> find_cycle(const std::vector<Blocked>& blocked) {
  std::unordered_map<Rank, std::size_t> place;
  for (std::size_t i = 0; i < blocked.size(); ++i) place[blocked[i].rank] = i;
  std::vector<Mark> marks(blocked.size(), Mark::kNew);
  std::vector<Visit> path;
  for (std::size_t start = 0; start < blocked.size(); ++start) {
    if (marks[start] != Mark::kNew) continue;
    path.push_back({start, 0});
    marks[start] = Mark::kOnPath;
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::vector<Rank>& ways = blocked[visit.at].waits_for;
      if (visit.next == ways.size()) {
        marks[visit.at] = Mark::kLeft;
        path.pop_back();
        continue;
      }
      const auto found = place.find(ways[visit.next++]);
      if (found == place.end() || marks[found->second] == Mark::kLeft) continue;
      if (marks[found->second] == Mark::kNew) {
        marks[found->second] = Mark::kOnPath;
        path.push_back({found->second, 0});
        continue;
      }
      std::vector<Rank> cycle;
      const auto from = std::ranges::find(path, found->second, &Visit::at);
      for (auto visited = from; visited != path.end(); ++visited) cycle.push_back(blocked[visited->at].rank);
      return cycle;
    }
  }
  return {};
}

}  // namespace groma::sim::torus
