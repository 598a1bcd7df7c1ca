// Time of messages over their size, for each communication layer.
#include <algorithm>

#include "survey/network/buffers.hpp"
#include "survey/network/layer_turns.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_curve",
    .title = "Messages over size",
    .measures = "half of a round trip of a message, for sizes from empty to large (s)",
    .method = "blocking ping-pong of one pair at a time; each turn visits all sizes in a new random order",
    .moves = "one to a hundred messages each way per sample",
    .reference = "Servet 3.0, section 3",
    .order = 20,
    .parameters = {kLayersParameter,
                   {"largest", "1048576", "4194304", "16777216", "largest message in bytes"},
                   {"pairs", "1", "2", "4", "pairs of each layer at most"},
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

std::vector<Case> cases_of(const std::vector<LayerTurn>& turns, const std::vector<std::uint64_t>& sizes) {
  std::vector<Case> cases;
  for (const LayerTurn& turn : turns) {
    for (const std::uint64_t size : sizes) cases.push_back(layer_case(*turn.layer, turn.pair, size));
  }
  return cases;
}

Result<Outcome> run(const Context& context) {
  const auto layers = parse_layers(context.parameters.text("layers"), context.world.size());
  if (!layers) return layers.error();
  const std::uint64_t largest = context.parameters.count("largest");
  if (largest > std::uint64_t{1} << 30U)
    return Error{"usage", "no message is so large", "give 1 GiB at most"};
  const Result<Buffers> buffers = Buffers::make(context, largest, 2);
  if (!buffers) return buffers.error();
  const auto sizes = sizes_up_to(largest);
  const auto turns = layer_turns(layers.value(), context.parameters.count("pairs"), sizes.size());
  const LayerRelay relay(context, turns);
  std::uint64_t wrong = 0;
  std::uint32_t number = 0;
  sample_rounds(context, cases_of(turns, sizes), context.parameters.rule(),
                [&](RandomStream random, RoundNotes& notes) {
                  ++number;
                  relay.play_all(random, [&](const LayerTurn& turn, PingPong game, RandomStream order) {
                    for (const std::size_t size : shuffled_indices(sizes.size(), order)) {
                      game.out = buffers.value().message(0, sizes[size]);
                      game.in = buffers.value().message(1, sizes[size]);
                      Seconds time;
                      notes.busy([&] {
                        time = round_trip(context.clock, game, iterations_for(sizes[size]), number, wrong);
                      });
                      if (game.leads) notes.sample(turn.first_case + size, 0.5 * time.value());
                    }
                  });
                });
  if (const Status valid = validated(context.world, wrong); !valid) return valid.error();
  return Outcome{};
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey::network
