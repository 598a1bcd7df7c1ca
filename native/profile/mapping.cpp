#include "profile/mapping.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "profile/rank_layers.hpp"

namespace groma::profile {
namespace {

/// What one reason adds to a weight or takes from it. Section 3: in a memory bound code the increase of rules
/// 1 and 2 is ten times the decrease of rule 3, in a communication intensive code it is the other way round.
/// Section 4.2: rule 4 counts ten times more for communication intensive codes.
struct Units {
  double sharing;  ///< rules 1 and 2
  double latency;  ///< rule 3, times how much lower the latency is
  double network;  ///< rule 4
};

Units units_of(groma_code_class code) {
  return code == GROMA_MEMORY_BOUND ? Units{10.0, 1.0, 1.0} : Units{1.0, 10.0, 10.0};
}

/// Section 4.2: cores whose ratio is higher than this are disturbed when they use the network at once.
constexpr double kDisturbed = 1.5;

/// Section 3 wants latencies "significantly lower" than the maximum: by a tenth at least.
constexpr double kSignificantlyLower = 0.9;

/// Sums of the same weights in another order differ by less.
constexpr double kSameWeight = 1e-9;

constexpr int kNoGroup = -1;

/// By core: its group, or kNoGroup.
using GroupOfCore = std::vector<int>;

GroupOfCore numbered(const std::vector<Group>& groups, const std::vector<int>& cores) {
  GroupOfCore of_core(cores.size(), kNoGroup);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const int core : groups[group]) {
      if (const auto index = index_of(cores, core)) of_core[*index] = static_cast<int>(group);
    }
  }
  return of_core;
}

bool together(const GroupOfCore& groups, std::size_t one, std::size_t other) {
  return groups[one] != kNoGroup && groups[one] == groups[other];
}

/// Rules 1 and 2: one entry for each level of cache, one for memory.
std::vector<GroupOfCore> shared_parts(const Facts& facts, const std::vector<int>& cores) {
  std::vector<GroupOfCore> parts;
  for (const Cache& cache : facts.caches) {
    if (cache.shared_by) parts.push_back(numbered(*cache.shared_by, cores));
  }
  if (facts.contention_groups) parts.push_back(numbered(*facts.contention_groups, cores));
  return parts;
}

/// The most processes of a node that do not disturb each other on the network; none if no number disturbs.
std::optional<std::size_t> most_undisturbed(const std::vector<MaybeQuantity>& ratios) {
  std::size_t most = 1;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (!ratios[i]) continue;
    if (ratios[i]->value > kDisturbed) return most;
    most = i + 1;
  }
  return std::nullopt;
}

/// Rule 4. The benchmark spreads its processes evenly over the cores. So, if `most` processes do not disturb
/// each other and more do, the cores form `most` equal groups in each of which any two do.
GroupOfCore network_groups(const Facts& facts, const std::vector<int>& cores) {
  GroupOfCore groups(cores.size(), kNoGroup);
  const auto most = most_undisturbed(facts.network.access_ratios);
  if (!most) return groups;
  std::map<std::tuple<int, int, int>, int> number_of;  // of physical cores, neighbours beside each other
  for (const groma_core_info& core : facts.cores) number_of[{core.package, core.numa, core.core}] = 0;
  int count = 0;
  for (auto& [place, number] : number_of) number = count++;
  for (const groma_core_info& core : facts.cores) {
    const auto index = index_of(cores, core.logical);
    const auto number = static_cast<std::size_t>(number_of[{core.package, core.numa, core.core}]);
    if (index) groups[*index] = static_cast<int>(number * *most / number_of.size());
  }
  return groups;
}

/// Rule 3: latencies between cores of a node, and the largest one of the system.
class Latencies {
 public:
  Latencies(const Facts& facts, std::size_t nodes) : facts_(facts) {
    for (const int core : facts.allowed) row_of_.push_back(index_of(facts.core_to_core.cores, core));
    for (const LayerOfPair& pair : facts.network.of_cores) add_layer(pair.layer);
    if (facts.network.within) add_layer(*facts.network.within);
    by_messages_ = largest_ > 0.0;
    if (!by_messages_) largest_ = facts.core_to_core.latency.largest();
    if (by_messages_ && nodes > 1 && facts.network.between) add_layer(*facts.network.between);
  }

  /// Of two allowed cores, by index. 0 to 1: how much lower the latency is than the largest; 0 if it is not
  /// known or not significantly lower.
  [[nodiscard]] double advantage(std::size_t core, std::size_t other) const {
    const double latency = by_messages_ ? of_messages(core, other) : of_lines(core, other);
    if (latency <= 0.0 || latency >= kSignificantlyLower * largest_) return 0.0;
    return (largest_ - latency) / largest_;
  }

 private:
  void add(double latency) { largest_ = std::max(largest_, latency); }
  void add_layer(std::size_t layer) { add(latency_of(layer)); }

  [[nodiscard]] double latency_of(std::size_t layer) const {
    const MaybeQuantity& latency = facts_.network.layers[layer].latency;
    return latency ? latency->value : 0.0;
  }

  [[nodiscard]] double of_messages(std::size_t core, std::size_t other) const {
    const auto layer = layer_within_node(facts_.network, facts_.allowed[core], facts_.allowed[other]);
    return layer ? latency_of(*layer) : 0.0;
  }

  [[nodiscard]] double of_lines(std::size_t core, std::size_t other) const {
    if (!row_of_[core] || !row_of_[other]) return 0.0;
    const groma_quantity* latency = facts_.core_to_core.latency.find_either(*row_of_[core], *row_of_[other]);
    return latency == nullptr ? 0.0 : latency->value;
  }

  const Facts& facts_;
  std::vector<std::optional<std::size_t>> row_of_;  ///< in core_to_core, by allowed core
  double largest_ = 0.0;
  bool by_messages_ = false;
};

/// How the selection of a core changes the weights of the other cores of its node. Those of other nodes stay:
/// the messages to them are the slowest ones.
class Rules {
 public:
  Rules(const Facts& facts, const MappingRequest& request)
      : cores_(facts.allowed),
        units_(units_of(request.code)),
        shared_(shared_parts(facts, cores_)),
        network_(network_groups(facts, cores_)),
        latencies_(facts, request.nodes) {}

  [[nodiscard]] double change(std::size_t selected, std::size_t other) const {
    double change = 0.0;
    for (const GroupOfCore& part : shared_) change += together(part, selected, other) ? units_.sharing : 0.0;
    // A pair that rule 4 keeps apart is not drawn together by rule 3: only so section 6.2 comes out, where
    // one process runs on each processor although messages within a node are the fastest.
    if (together(network_, selected, other)) return change + units_.network;
    return change - units_.latency * latencies_.advantage(selected, other);
  }

 private:
  const std::vector<int>& cores_;
  Units units_;
  std::vector<GroupOfCore> shared_;
  GroupOfCore network_;
  Latencies latencies_;
};

constexpr double kTaken = std::numeric_limits<double>::infinity();

/// The cores of one node.
struct NodeWeights {
  std::vector<double> of_core;
  std::size_t best = 0;

  void take_best(const Rules& rules) {
    const std::size_t selected = best;
    of_core[selected] = kTaken;
    for (std::size_t other = 0; other < of_core.size(); ++other) {
      if (of_core[other] != kTaken) of_core[other] += rules.change(selected, other);
    }
    for (std::size_t other = 0; other < of_core.size(); ++other) {
      if (of_core[other] < of_core[best] - kSameWeight) best = other;
    }
  }

  [[nodiscard]] double lowest() const { return of_core[best]; }
};

std::size_t best_of(const std::vector<NodeWeights>& nodes) {
  std::size_t best = 0;
  for (std::size_t node = 1; node < nodes.size(); ++node) {
    if (nodes[node].lowest() < nodes[best].lowest() - kSameWeight) best = node;
  }
  return best;
}

}  // namespace

void place_processes(const Facts& facts, const MappingRequest& request, std::span<groma_place> places) {
  const Rules rules(facts, request);
  // Nodes without a process are alike, and the first of them is taken: no more nodes than processes matter.
  const std::size_t count = std::min(request.nodes, places.size());
  std::vector<NodeWeights> nodes(count, {std::vector<double>(facts.allowed.size(), 0.0), 0});
  for (groma_place& place : places) {
    const std::size_t node = best_of(nodes);
    place = {static_cast<int>(node), facts.allowed[nodes[node].best]};
    nodes[node].take_best(rules);
  }
}

}  // namespace groma::profile
