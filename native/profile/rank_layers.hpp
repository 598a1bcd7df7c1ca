// Where the ranks of a network survey ran, and which layer two places belong to.
#pragma once

#include <vector>

#include "profile/facts.hpp"

namespace groma::profile {

/// By rank, of the launch that measured the pairs. Cores are logical; none where the survey of the node that
/// translates the kernel's numbers is missing.
std::vector<RankPlace> places_of_ranks(JsonValue network, const std::vector<groma_core_info>& cores);

/// Fills what `layer_between` searches: pairs of ranks, pairs of cores, and the most frequent layers.
void index_layers(Network& network);

/// The layer of messages between two places, as groma_layer_between() defines it.
std::optional<std::size_t> layer_between(const Network& network, groma_place from, groma_place to);

/// That of two cores of one node, whichever.
std::optional<std::size_t> layer_within_node(const Network& network, int core, int other);

}  // namespace groma::profile
