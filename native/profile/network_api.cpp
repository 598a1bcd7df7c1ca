// The named getters of communication, and the suggested mapping.
#include <algorithm>
#include <new>

#include "profile/api.hpp"
#include "profile/interpolation.hpp"
#include "profile/mapping.hpp"
#include "profile/rank_layers.hpp"

namespace groma::profile {
namespace {

/// Layer `index` of the profile, or why not.
groma_status find_layer(const groma_profile* profile, std::size_t index, const Layer** layer) noexcept {
  if (profile == nullptr) return null_argument();
  const auto& layers = profile->content.facts().network.layers;
  if (layers.empty()) return not_measured("layers of communication");
  if (index >= layers.size())
    return fail(GROMA_BAD_ARGUMENT, "layer %zu of %zu layers", index, layers.size());
  *layer = &layers[index];
  return GROMA_OK;
}

groma_status of_layer(const groma_profile* profile, std::size_t index, MaybeQuantity Layer::*part,
                      groma_quantity* out, const char* what) noexcept {
  if (out == nullptr) return null_argument();
  const Layer* layer = nullptr;
  if (const groma_status status = find_layer(profile, index, &layer); status != GROMA_OK) return status;
  return hand_over(layer->*part, out, what);
}

/// Entry `number`, counted from 1.
groma_status of_ratios(const groma_profile* profile, std::vector<MaybeQuantity> Network::*list,
                       std::size_t number, groma_quantity* out, const char* what) noexcept {
  if (profile == nullptr || out == nullptr) return null_argument();
  if (number == 0) return fail(GROMA_BAD_ARGUMENT, "distances and processes start at 1");
  const auto& ratios = profile->content.facts().network.*list;
  return hand_over(number > ratios.size() ? std::nullopt : ratios[number - 1], out, what);
}

groma_status count_of_ratios(const groma_profile* profile, std::vector<MaybeQuantity> Network::*list,
                             std::size_t* out, const char* what) noexcept {
  if (profile == nullptr || out == nullptr) return null_argument();
  const auto& ratios = profile->content.facts().network.*list;
  if (ratios.empty()) return not_measured(what);
  *out = ratios.size();
  return GROMA_OK;
}

constexpr const char* kDistance = "how the network degrades over this distance";
constexpr const char* kAccess = "how the network degrades with this many processes per node";

bool is_class(groma_code_class code) {
  return code == GROMA_MEMORY_BOUND || code == GROMA_COMMUNICATION_INTENSIVE;
}

/// Whether so many processes have a core each; written so that no product overflows.
bool have_room(std::size_t cores, std::size_t nodes, std::size_t processes) {
  return processes > 0 && (processes - 1) / cores < nodes;
}

}  // namespace
}  // namespace groma::profile

using namespace groma::profile;  // what follows is its C face

groma_status groma_layer_count(const groma_profile* profile, size_t* layers) {
  if (layers == nullptr) return null_argument();
  const Layer* first = nullptr;
  const groma_status status = find_layer(profile, 0, &first);
  if (status == GROMA_OK) *layers = profile->content.facts().network.layers.size();
  return status;
}

groma_status groma_layer_name(const groma_profile* profile, size_t layer, const char** name) {
  if (name == nullptr) return null_argument();
  const Layer* found = nullptr;
  const groma_status status = find_layer(profile, layer, &found);
  if (status == GROMA_OK) *name = found->name;
  return status;
}

groma_status groma_layer_latency(const groma_profile* profile, size_t layer, groma_quantity* latency) {
  return of_layer(profile, layer, &Layer::latency, latency, "the latency of this layer");
}

groma_status groma_layer_bandwidth(const groma_profile* profile, size_t layer, groma_quantity* bandwidth) {
  return of_layer(profile, layer, &Layer::bandwidth, bandwidth, "the bandwidth of this layer");
}

groma_status groma_layer_time(const groma_profile* profile, size_t layer, size_t bytes,
                              groma_quantity* time) {
  if (time == nullptr) return null_argument();
  const Layer* found = nullptr;
  if (const groma_status status = find_layer(profile, layer, &found); status != GROMA_OK) return status;
  return hand_over(time_of_message(*found, static_cast<double>(bytes)), time,
                   "the time of messages of this layer");
}

groma_status groma_layer_between(const groma_profile* profile, groma_place from, groma_place to,
                                 size_t* layer) {
  if (profile == nullptr || layer == nullptr) return null_argument();
  if (std::min({from.node, from.core, to.node, to.core}) < 0) {
    return fail(GROMA_BAD_ARGUMENT, "nodes and cores are numbered from 0");
  }
  if (from.node == to.node && from.core == to.core) {
    return fail(GROMA_BAD_ARGUMENT, "a message from core %d of node %d to itself", from.core, from.node);
  }
  return hand_over(layer_between(profile->content.facts().network, from, to), layer,
                   "the layer of messages between these places");
}

groma_status groma_message_time(const groma_profile* profile, groma_place from, groma_place to, size_t bytes,
                                groma_quantity* time) {
  if (time == nullptr) return null_argument();
  size_t layer = 0;
  const groma_status status = groma_layer_between(profile, from, to, &layer);
  return status == GROMA_OK ? groma_layer_time(profile, layer, bytes, time) : status;
}

groma_status groma_message_bandwidth(const groma_profile* profile, groma_place from, groma_place to,
                                     size_t bytes, groma_quantity* bandwidth) {
  if (bandwidth == nullptr) return null_argument();
  if (bytes == 0) return fail(GROMA_BAD_ARGUMENT, "a message of 0 bytes has no bandwidth");
  groma_quantity time{};
  const groma_status status = groma_message_time(profile, from, to, bytes, &time);
  if (status != GROMA_OK) return status;
  if (time.low <= 0.0) return not_measured("the time of such a message well enough");
  *bandwidth = bandwidth_of(static_cast<double>(bytes), time);
  return GROMA_OK;
}

groma_status groma_network_distance_ratio(const groma_profile* profile, size_t distance,
                                          groma_quantity* ratio) {
  return of_ratios(profile, &Network::distance_ratios, distance, ratio, kDistance);
}

groma_status groma_network_distance_count(const groma_profile* profile, size_t* distances) {
  return count_of_ratios(profile, &Network::distance_ratios, distances, kDistance);
}

groma_status groma_network_access_ratio(const groma_profile* profile, size_t per_node,
                                        groma_quantity* ratio) {
  return of_ratios(profile, &Network::access_ratios, per_node, ratio, kAccess);
}

groma_status groma_network_access_count(const groma_profile* profile, size_t* processes) {
  return count_of_ratios(profile, &Network::access_ratios, processes, kAccess);
}

groma_status groma_mapping(const groma_profile* profile, groma_code_class code, size_t nodes,
                           size_t processes, groma_place* places) {
  if (profile == nullptr || places == nullptr) return null_argument();
  if (!is_class(code))
    return fail(GROMA_BAD_ARGUMENT, "no class of codes has the number %d", static_cast<int>(code));
  const Facts& facts = profile->content.facts();
  if (facts.allowed.empty()) return not_measured("the cores");
  if (!have_room(facts.allowed.size(), nodes, processes)) {
    return fail(GROMA_BAD_ARGUMENT, "%zu processes on %zu nodes of %zu cores: each needs a core of its own",
                processes, nodes, facts.allowed.size());
  }
  return guarded([&] {
    std::vector<groma_place> chosen(processes);
    place_processes(facts, {code, nodes}, chosen);
    std::ranges::copy(chosen, places);
    return GROMA_OK;
  });
}
