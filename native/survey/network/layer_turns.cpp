#include "survey/network/layer_turns.hpp"

#include <algorithm>
#include <numeric>

namespace groma::survey::network {

std::vector<LayerTurn> layer_turns(const std::vector<LayerPairs>& layers, std::size_t pairs,
                                   std::size_t cases) {
  std::vector<LayerTurn> turns;
  for (const LayerPairs& layer : layers) {
    for (std::size_t i = 0; i < std::min(pairs, layer.pairs.size()); ++i) {
      turns.push_back({.layer = &layer, .pair = layer.pairs[i], .first_case = turns.size() * cases});
    }
  }
  return turns;
}

std::vector<std::size_t> shuffled_indices(std::size_t count, RandomStream& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span(order), random);
  return order;
}

void LayerRelay::play_all(RandomStream random, const Play& play) const {
  const std::vector<std::size_t> order = shuffled_indices(turns_.size(), random);
  std::vector<mpi::Turn> turns;
  for (const std::size_t which : order) turns.push_back(turn_of(turns_[which].pair));
  relay_.run(turns, [&](std::size_t at) {
    const LayerTurn& turn = turns_[order[at]];
    const bool leads = turns[at].front() == context_.world.rank();
    const PingPong game{.comm = context_.world.handle(),
                        .peer = leads ? turns[at].back() : turns[at].front(),
                        .leads = leads,
                        .out = {},
                        .in = {}};
    play(turn, game, random.fork(order[at]));
  });
}

}  // namespace groma::survey::network
