#include "profile/rank_layers.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace groma::profile {
namespace {

/// One of `ranks` ranks, which are numbered from 0.
std::optional<std::size_t> rank_of(JsonValue value, std::size_t ranks) {
  const auto number = value.number();
  if (!number || *number < 0 || *number >= static_cast<double>(ranks)) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

/// The placement of the launch in which pairs were measured.
JsonValue placement_of(JsonValue network) {
  JsonValue placement;
  network.find("launches").for_each_item([&](JsonValue launch) {
    launch.find("probes").for_each_item([&](JsonValue probe) {
      if (probe.text() == "net_pairs") placement = launch.find("launch").find("placement");
    });
  });
  return placement;
}

/// Logical numbers of cores by those of the kernel.
using LogicalCores = std::map<double, int>;

LogicalCores by_physical(const std::vector<groma_core_info>& cores) {
  LogicalCores found;
  for (const groma_core_info& core : cores) found.try_emplace(core.physical, core.logical);
  return found;
}

std::vector<int> logical_cores(JsonValue cpus, const LogicalCores& cores) {
  std::vector<int> logical;
  cpus.for_each_item([&](JsonValue cpu) {
    const auto number = cpu.number();
    const auto found = number ? cores.find(*number) : cores.end();
    if (found != cores.end()) logical.push_back(found->second);
  });
  return logical;
}

/// A name of the machine; that of the host where there is no boot id.
std::string_view machine_of(JsonValue place) {
  const std::string_view boot = place.find("boot_id").text().value_or("");
  return boot.empty() ? place.find("host").text().value_or("") : boot;
}

const LayerOfPair* find_pair(const std::vector<LayerOfPair>& pairs, int one, int other) {
  const auto found = std::ranges::lower_bound(pairs, LayerOfPair{one, other, 0});
  return found != pairs.end() && found->one == one && found->other == other ? &*found : nullptr;
}

const RankPlace* place_of(const Network& network, int rank) {
  const auto index = static_cast<std::size_t>(rank);
  const bool is_known = rank >= 0 && index < network.ranks.size() && network.ranks[index].node >= 0;
  return is_known ? &network.ranks[index] : nullptr;
}

/// A rank bound to several cores does not tell which of them it used.
void index_cores(Network& network, const RankPlace& one, const RankPlace& other, std::size_t layer) {
  if (one.cores.size() != 1 || other.cores.size() != 1) return;
  const auto [low, high] = std::minmax(one.cores[0], other.cores[0]);
  network.of_cores.push_back({low, high, layer});
}

std::optional<std::size_t> most_frequent(const std::vector<std::size_t>& counts) {
  const auto most = std::ranges::max_element(counts);
  if (most == counts.end() || *most == 0) return std::nullopt;
  return static_cast<std::size_t>(most - counts.begin());
}

std::optional<int> rank_at(const Network& network, groma_place place) {
  const auto is_there = [&](const RankPlace& one) {
    return one.node == place.node && index_of(one.cores, place.core);
  };
  const auto found = std::ranges::find_if(network.ranks, is_there);
  if (found == network.ranks.end()) return std::nullopt;
  return static_cast<int>(found - network.ranks.begin());
}

}  // namespace

std::vector<RankPlace> places_of_ranks(JsonValue network, const std::vector<groma_core_info>& cores) {
  const JsonValue placement = placement_of(network);
  std::vector<RankPlace> places(placement.size(), RankPlace{-1, {}});
  std::map<std::string_view, int> nodes;
  const LogicalCores logical = by_physical(cores);
  placement.for_each_item([&](JsonValue place) {
    const auto rank = rank_of(place.find("rank"), places.size());
    if (!rank) return;
    const auto node = nodes.try_emplace(machine_of(place), static_cast<int>(nodes.size())).first->second;
    places[*rank] = {node, logical_cores(place.find("cpus"), logical)};
  });
  return places;
}

void index_layers(Network& network) {
  std::vector<std::size_t> within(network.layers.size());
  std::vector<std::size_t> between(network.layers.size());
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    for (const auto& [one, other] : network.layers[layer].pairs) {
      network.of_ranks.push_back({std::min(one, other), std::max(one, other), layer});
      const RankPlace* here = place_of(network, one);
      const RankPlace* there = place_of(network, other);
      if (here == nullptr || there == nullptr) continue;
      ++(here->node == there->node ? within : between)[layer];
      if (here->node == there->node) index_cores(network, *here, *there, layer);
    }
  }
  std::ranges::sort(network.of_ranks);
  std::ranges::sort(network.of_cores);
  network.within = most_frequent(within);
  network.between = most_frequent(between);
}

std::optional<std::size_t> layer_between(const Network& network, groma_place from, groma_place to) {
  const auto one = rank_at(network, from);
  const auto other = rank_at(network, to);
  if (one && other) {
    const LayerOfPair* pair = find_pair(network.of_ranks, std::min(*one, *other), std::max(*one, *other));
    if (pair != nullptr) return pair->layer;
  }
  return from.node != to.node ? network.between : layer_within_node(network, from.core, to.core);
}

std::optional<std::size_t> layer_within_node(const Network& network, int core, int other) {
  const LayerOfPair* pair = find_pair(network.of_cores, std::min(core, other), std::max(core, other));
  return pair != nullptr ? pair->layer : network.within;
}

}  // namespace groma::profile
