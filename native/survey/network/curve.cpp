// Time of messages over their size, for each communication layer.
#include "survey/network/layer_sampling.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_curve",
    .title = "Messages over size",
    .measures = "half of a round trip of a message, for sizes from empty to large (s)",
    .method = "blocking ping-pong of one pair at a time; each turn visits all sizes in a new random order",
    .traffic = "one to a hundred messages each way per sample",
    .reference = "Servet 3.0, section 3",
    .order = 20,
    .ranks = "layers",
    .parameters = {kLayersParameter,
                   {"largest", "1048576", "4194304", "16777216", "largest message in bytes", "bytes"},
                   {"pairs", "1", "2", "4", "maximum number of pairs of each layer"},
                   {"budget", "4", "15", "60", "seconds for all rounds"},
                   {"rounds", "10", "30", "100", "rounds after which sampling stops"}}};

/// Empty, and two sizes in each octave up to the largest.
std::vector<std::uint64_t> sizes_up_to(std::uint64_t largest) {
  std::vector<std::uint64_t> sizes = {0};
  for (std::uint64_t size = 1; size <= largest; size *= 2) {
    sizes.push_back(size);
    if (size >= 2 && size + size / 2 <= largest) sizes.push_back(size + size / 2);
  }
  return sizes;
}

Result<Outcome> run(const Context& context) {
  const auto half_round_trip = [&](const PingPong& ping_pong, std::uint32_t number) {
    LayerSample sample;
    const Seconds time =
        round_trip(context.clock, ping_pong, iterations_for(ping_pong.out.size()), number, sample.wrong);
    sample.times = {time * 0.5};
    return sample;
  };
  return sample_layers(context, {.sizes_up_to = sizes_up_to, .whats = {nullptr}, .take = half_round_trip});
}

const Registration kRegistered(kInfo, {run, check_layers});

}  // namespace
}  // namespace groma::survey::network
