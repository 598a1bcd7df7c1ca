// NUMA nodes that lie close together. hwloc numbers their cores next to each other; so does the reader of
// /sys, that a profile means the same cores whoever reads the machine.
#include <algorithm>
#include <iterator>
#include <limits>

#include "base/topology_numbering.hpp"

namespace groma {
namespace {

using Matrix = std::vector<std::vector<double>>;
using Group = std::vector<std::size_t>;

/// Square, symmetric, and everything is further than oneself.
bool is_metric(const Matrix& distances) {
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i].size() != distances.size()) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (distances[i][j] != distances[j][i] || distances[i][j] <= distances[i][i]) return false;
    }
  }
  return true;
}

double least_distance(const Matrix& distances) {
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < distances.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, distances[i][j]);
  }
  return least;
}

/// Everything that steps of length `step` lead to from `start`, ascending.
Group reachable(std::size_t start, double step, const Matrix& distances) {
  Group group{start};
  for (std::size_t at = 0; at < group.size(); ++at) {
    for (std::size_t other = 0; other < distances.size(); ++other) {
      const bool is_step = other != group[at] && distances[group[at]][other] == step;
      if (is_step && std::find(group.begin(), group.end(), other) == group.end()) group.push_back(other);
    }
  }
  std::sort(group.begin(), group.end());
  return group;
}

/// Groups of at least two; none where all are one.
std::vector<Group> closest_groups(const Matrix& distances) {
  const double least = least_distance(distances);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    Group group = reachable(i, least, distances);
    if (group.size() == distances.size()) return {};
    if (group.size() > 1 && group.front() == i) groups.push_back(std::move(group));
  }
  return groups;
}

/// Between groups, truncated to whole numbers as hwloc does it.
double mean_distance(const Group& a, const Group& b, const Matrix& distances) {
  double sum = 0;
  for (const std::size_t i : a) {
    for (const std::size_t j : b) sum += distances[i][j];
  }
  return static_cast<double>(static_cast<std::uint64_t>(sum / static_cast<double>(a.size() * b.size())));
}

Matrix distances_between(const std::vector<Group>& groups, const Matrix& distances) {
  Matrix means;
  for (const Group& a : groups) {
    std::vector<double>& row = means.emplace_back();
    for (const Group& b : groups) row.push_back(mean_distance(a, b, distances));
  }
  return means;
}

CpuList united(const Group& group, const std::vector<CpuList>& members) {
  CpuList all;
  for (const std::size_t member : group)
    all.insert(all.end(), members[member].begin(), members[member].end());
  std::sort(all.begin(), all.end());
  return all;
}

bool nests(const CpuList& a, const CpuList& b) {
  CpuList both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.empty() || both.size() == std::min(a.size(), b.size());
}

}  // namespace

void add_groups_of_close_nodes(const std::vector<CpuList>& nodes, const Matrix& distances,
                               std::vector<CpuList>& nested_sets) {
  if (nodes.size() < 3 || distances.size() != nodes.size() || !is_metric(distances)) return;
  std::vector<CpuList> members = nodes;
  for (Matrix between = distances; members.size() > 2;) {
    const std::vector<Group> groups = closest_groups(between);
    std::vector<CpuList> unions;
    for (const Group& group : groups) unions.push_back(united(group, members));
    std::erase_if(unions, [&](const CpuList& set) {
      return set.empty() || !std::all_of(nested_sets.begin(), nested_sets.end(),
                                         [&](const CpuList& other) { return nests(set, other); });
    });
    nested_sets.insert(nested_sets.end(), unions.begin(), unions.end());
    if (unions.size() < groups.size()) return;
    between = distances_between(groups, between);
    members = std::move(unions);
  }
}

}  // namespace groma
