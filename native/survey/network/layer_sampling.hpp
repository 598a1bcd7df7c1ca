// Probes that look closely at a few pairs of each layer, one pair at a time, over sizes of messages.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "survey/network/layers.hpp"
#include "survey/network/ping_pong.hpp"

namespace groma::survey::network {

/// The sample of one pair and size: a time, or nothing, for each of LayerSampling::whats, and the number of
/// wrong messages.
struct LayerSample {
  std::vector<std::optional<Seconds>> times;
  std::uint64_t wrong = 0;
};

/// `take` runs on both ends, in every round with another number; the times of the end that leads count.
/// `whats` name them in the label "what" of the cases; nullptr stands for a single one without that label.
struct LayerSampling {
  std::vector<std::uint64_t> (*sizes_up_to)(std::uint64_t largest);
  std::vector<const char*> whats;
  std::function<LayerSample(const PingPong& ping_pong, std::uint32_t number)> take;
};

/// Checks the parameters of a probe that samples layers (Run::check_parameters).
Status check_layers(const Parameters& parameters, int ranks);

/// Collective. Each round measures every pair one after the other, each with every size, both in random
/// order. Reads the parameters layers, largest, pairs and those of the sampling rule.
Result<Outcome> sample_layers(const Context& context, const LayerSampling& sampling);

}  // namespace groma::survey::network
