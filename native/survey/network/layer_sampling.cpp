#include "survey/network/layer_sampling.hpp"

#include <algorithm>

#include "survey/network/buffers.hpp"
#include "survey/network/rounds.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 30U;

/// A pair whose turn it is, with the number of the first of its cases.
struct LayerTurn {
  const LayerPairs* layer;
  Pair pair;
  std::size_t first_case;
};

/// At most `pairs` of each layer; each has `cases` cases.
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

std::vector<Case> cases_of(const std::vector<LayerTurn>& turns, const std::vector<std::uint64_t>& sizes,
                           const std::vector<const char*>& whats) {
  std::vector<Case> cases;
  for (const LayerTurn& turn : turns) {
    for (const std::uint64_t size : sizes) {
      for (const char* what : whats) {
        Case one = layer_case(*turn.layer, turn.pair, size);
        cases.push_back(what == nullptr ? one : one.with("what", what));
      }
    }
  }
  return cases;
}

class LayerBench {
 public:
  LayerBench(const Context& context, const LayerSampling& sampling, const Buffers& buffers,
             const std::vector<std::uint64_t>& sizes, const std::vector<LayerTurn>& turns)
      : context_(context),
        sampling_(sampling),
        buffers_(buffers),
        sizes_(sizes),
        turns_(turns),
        relay_(context.world) {}

  void play_all(RandomStream random, RoundNotes& notes) {
    ++number_;
    const auto order = shuffled_indices(turns_.size(), random);
    std::vector<mpi::Turn> turns;
    for (const std::size_t which : order) turns.push_back(turn_of(turns_[which].pair));
    relay_.run(turns, [&](std::size_t at) {
      play(turns_[order[at]], game_of(turns[at]), random.fork(order[at]), notes);
    });
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  [[nodiscard]] PingPong game_of(const mpi::Turn& turn) const {
    const bool leads = turn.front() == context_.world.rank();
    return {.comm = context_.world.handle(),
            .peer = leads ? turn.back() : turn.front(),
            .leads = leads,
            .out = {},
            .in = {}};
  }

  void play(const LayerTurn& turn, PingPong game, RandomStream random, RoundNotes& notes) {
    for (const std::size_t size : shuffled_indices(sizes_.size(), random)) {
      game.out = buffers_.message(0, sizes_[size]);
      game.in = buffers_.message(1, sizes_[size]);
      Taking taking;
      notes.busy([&] { taking = sampling_.take(game, number_); });
      wrong_ += taking.wrong;
      if (!game.leads) continue;
      const std::size_t first = turn.first_case + size * taking.times.size();
      for (std::size_t i = 0; i < taking.times.size(); ++i) notes.sample(first + i, taking.times[i].value());
    }
  }

  const Context& context_;
  const LayerSampling& sampling_;
  const Buffers& buffers_;
  const std::vector<std::uint64_t>& sizes_;
  const std::vector<LayerTurn>& turns_;
  mpi::Relay relay_;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

Status admits_layers(const Parameters& parameters, int ranks) {
  const auto layers = parse_layers(parameters.text("layers"), ranks);
  if (!layers) return layers.error();
  if (parameters.count("largest") <= kLargest) return Done{};
  return Error{"usage", "no message is so large", "give 1 GiB at most"};
}

Result<Outcome> sample_layers(const Context& context, const LayerSampling& sampling) {
  const auto layers = parse_layers(context.parameters.text("layers"), context.world.size());
  if (!layers) return layers.error();
  const std::uint64_t largest = context.parameters.count("largest");
  Result<Buffers> buffers = Buffers::make(context, largest, 2);
  if (!buffers) return buffers.error();
  buffers.value().prepare(largest);
  const auto sizes = sampling.sizes_up_to(largest);
  const auto turns =
      layer_turns(layers.value(), context.parameters.count("pairs"), sizes.size() * sampling.whats.size());
  LayerBench bench(context, sampling, buffers.value(), sizes, turns);
  sample_rounds(context, cases_of(turns, sizes, sampling.whats), context.parameters.rule(),
                [&](RandomStream random, RoundNotes& notes) { bench.play_all(random, notes); });
  if (const Status valid = validated(context.world, bench.wrong()); !valid) return valid.error();
  return Outcome{};
}

}  // namespace groma::survey::network
