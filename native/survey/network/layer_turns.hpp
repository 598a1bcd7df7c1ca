// Probes that look closely at a few pairs of each layer, one pair at a time.
#pragma once

#include <functional>
#include <vector>

#include "survey/network/layers.hpp"
#include "survey/network/ping_pong.hpp"
#include "survey/network/rounds.hpp"

namespace groma::survey::network {

/// A pair whose turn it is, with the number of the first of its cases.
struct LayerTurn {
  const LayerPairs* layer;
  Pair pair;
  std::size_t first_case;
};

/// At most `pairs` of each layer; each has `cases` cases.
std::vector<LayerTurn> layer_turns(const std::vector<LayerPairs>& layers, std::size_t pairs,
                                   std::size_t cases);

/// Collective: a round in which each pair has its turn, in random order. `play` runs on both ends, with the
/// same random stream.
class LayerRelay {
 public:
  using Play = std::function<void(const LayerTurn& turn, const PingPong& game, RandomStream random)>;

  /// Collective. `turns` must outlive it.
  LayerRelay(const Context& context, const std::vector<LayerTurn>& turns)
      : context_(context), relay_(context.world), turns_(turns) {}

  void play_all(RandomStream random, const Play& play) const;

 private:
  const Context& context_;
  mpi::Relay relay_;
  const std::vector<LayerTurn>& turns_;
};

/// The numbers 0 … count - 1 in random order.
std::vector<std::size_t> shuffled_indices(std::size_t count, RandomStream& random);

}  // namespace groma::survey::network
