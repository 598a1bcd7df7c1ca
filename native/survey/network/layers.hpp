// Pairs of communication layers, as a survey chose them from the latencies of pairs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/pair_design.hpp"
#include "mpi/token_scheduler.hpp"
#include "survey/network/probe.hpp"

namespace groma::survey::network {

/// The name is what the cases of the layer are labelled with.
struct LayerPairs {
  std::string name;
  std::vector<Pair> pairs;
};

inline constexpr Parameter kLayersParameter{
    "layers", "0:0-1", "0:0-1", "0:0-1", "pairs of each layer: NAME:FROM-TO,FROM-TO;NAME:…", "found"};

/// From the parameter. Errors (usage): what is not of that form, a pair twice in a layer or with itself, and
/// ranks that do not exist.
Result<std::vector<LayerPairs>> parse_layers(std::string_view text, int ranks);

/// The pair that stands for a layer. First leads.
mpi::RankGroup group_of(const Pair& pair);

/// A case of a layer that one pair measures.
Case layer_case(const LayerPairs& layer, const Pair& pair, std::uint64_t bytes);

}  // namespace groma::survey::network
