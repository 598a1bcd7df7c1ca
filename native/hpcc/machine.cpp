#include "hpcc/machine.hpp"

#include <algorithm>
#include <map>

#include "base/json_reader.hpp"
#include "base/pages.hpp"
#include "base/topology.hpp"
#include "mpi/placement.hpp"

namespace groma::hpcc {
namespace {

Bytes last_level_caches() {
  Bytes sum;
  const Topology topology = this_topology();
  const auto largest = topology.last_level_cache();
  for (const TopologyCache& cache : topology.caches) {
    if (largest && cache.size == largest && cache.kind != "instruction") sum = sum + *largest;
  }
  return sum;
}

/// Boot ids identify machines. Host names do not: containers on one kernel have several.
std::string machine_name(const Json& place) {
  const Result<JsonDocument> read = read_json(place.text());
  for (const char* key : {"boot_id", "host"}) {
    const auto name = read ? read.value().root().find(key).text() : std::nullopt;
    if (name && !name->empty()) return std::string(*name);
  }
  return "";
}

/// On the root.
std::vector<RankMemory> rooms_of(const std::vector<Json>& places, const std::vector<std::uint64_t>& free,
                                 const std::vector<std::uint64_t>& caches) {
  std::vector<RankMemory> ranks;
  for (std::size_t i = 0; i < places.size(); ++i) {
    ranks.push_back({machine_name(places[i]), Bytes(free[i]), Bytes(caches[i])});
  }
  return ranks;
}

}  // namespace

Machine machine_of(const std::vector<RankMemory>& ranks) {
  std::map<std::string, NodeMemory> nodes;
  Machine machine{.ranks = static_cast<int>(ranks.size())};
  for (const RankMemory& rank : ranks) {
    const auto [node, is_new] = nodes.try_emplace(rank.machine, NodeMemory{.ranks = 0, .free = rank.free});
    ++node->second.ranks;
    node->second.free = std::min(node->second.free, rank.free);
    machine.last_level_cache = std::max(machine.last_level_cache, rank.last_level_cache);
  }
  machine.nodes = static_cast<int>(nodes.size());
  machine.fullest =
      std::ranges::min_element(nodes, {}, [](const auto& node) { return node.second.for_each(); })->second;
  return machine;
}

Machine machine_under(const mpi::Communicator& world) {
  const std::vector<Json> places = mpi::gather_placement(world);
  const auto free = world.gather_to_all(available_memory().value());
  const auto caches = world.gather_to_all(last_level_caches().value());
  Machine machine{.ranks = world.size()};
  if (world.is_root()) machine = machine_of(rooms_of(places, free, caches));
  machine.nodes = world.broadcast_value(std::int32_t{machine.nodes});
  machine.fullest = {.ranks = world.broadcast_value(std::int32_t{machine.fullest.ranks}),
                     .free = Bytes(world.broadcast_value(machine.fullest.free.value()))};
  machine.last_level_cache = Bytes(world.broadcast_value(machine.last_level_cache.value()));
  return machine;
}

Machine machine_like_this(int ranks, int on_each) {
  const int fullest = std::min(ranks, on_each);
  const int nodes = (ranks + fullest - 1) / fullest;
  return {.ranks = ranks,
          .nodes = nodes,
          .fullest = {.ranks = fullest, .free = available_memory()},
          .last_level_cache = last_level_caches(),
          .is_counted = nodes == 1};
}

}  // namespace groma::hpcc
