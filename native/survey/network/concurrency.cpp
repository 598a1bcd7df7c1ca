// How a communication layer scales: several messages at once against one.
#include <algorithm>
#include <numeric>

#include "survey/network/buffers.hpp"
#include "survey/network/layers.hpp"
#include "survey/network/rounds.hpp"
#include "survey/network/stream.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_concurrency",
    .title = "Messages at the same time",
    .measures = "time of each of k messages that pairs of one layer send at once (s)",
    .method =
        "k pairs meet, then the first of each sends eight messages, two on their way at a time; the "
        "receiver's time over eight",
    .moves = "8 k messages per sample",
    .reference = "Servet 3.0, section 3 (scalability of communications)",
    .order = 40,
    .parameters = {kLayersParameter,
                   {"bytes", "1048576", "1048576", "1048576", "bytes of a message"},
                   {"budget", "3", "10", "40", "seconds for all rounds"},
                   {"rounds", "10", "25", "100", "rounds after which sampling stops"}}};

constexpr std::uint32_t kMessages = 8;

/// The first `messages` pairs of a layer, at once.
struct Crowd {
  const LayerPairs* layer;
  std::size_t messages;
  std::size_t first_case;

  /// Receivers first: the leader of a turn then has a time to tell.
  [[nodiscard]] mpi::Turn turn() const {
    mpi::Turn turn;
    for (std::size_t i = 0; i < messages; ++i) turn.push_back(static_cast<int>(layer->pairs[i].second));
    for (std::size_t i = 0; i < messages; ++i) turn.push_back(static_cast<int>(layer->pairs[i].first));
    return turn;
  }
};

/// 1, 2, 4 … and all pairs of each layer.
std::vector<Crowd> crowds_of(const std::vector<LayerPairs>& layers) {
  std::vector<Crowd> crowds;
  std::size_t cases = 0;
  for (const LayerPairs& layer : layers) {
    for (std::size_t count = 1; count <= layer.pairs.size();) {
      crowds.push_back({.layer = &layer, .messages = count, .first_case = cases});
      cases += count;
      count = count < layer.pairs.size() ? std::min(2 * count, layer.pairs.size()) : count + 1;
    }
  }
  return crowds;
}

std::vector<Case> cases_of(const std::vector<Crowd>& crowds, std::uint64_t bytes) {
  std::vector<Case> cases;
  for (const Crowd& crowd : crowds) {
    for (std::size_t i = 0; i < crowd.messages; ++i) {
      cases.push_back(Case("s")
                          .with("layer", crowd.layer->name)
                          .with("messages", crowd.messages)
                          .with("pair", i)
                          .with("bytes", bytes));
    }
  }
  return cases;
}

class CrowdBench {
 public:
  CrowdBench(const Context& context, const Buffers& buffers, const std::vector<Crowd>& crowds,
             std::uint64_t bytes)
      : context_(context), buffers_(buffers), relay_(context.world), crowds_(crowds), bytes_(bytes) {}

  void play_all(RandomStream random, RoundNotes& notes) {
    ++number_;
    const auto order = shuffled_indices(crowds_.size(), random);
    std::vector<mpi::Turn> turns;
    for (const std::size_t which : order) turns.push_back(crowds_[which].turn());
    relay_.run(turns, [&](std::size_t at) { play(crowds_[order[at]], turns[at], notes); });
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  void play(const Crowd& crowd, const mpi::Turn& turn, RoundNotes& notes) {
    const auto place =
        static_cast<std::size_t>(std::find(turn.begin(), turn.end(), context_.world.rank()) - turn.begin());
    const bool receives = place < crowd.messages;
    const std::size_t pair = place % crowd.messages;
    const std::size_t other = receives ? pair + crowd.messages : pair;
    const Stream stream{.peer = turn[other],
                        .direction = receives ? Direction::kReceive : Direction::kSend,
                        .memory = {buffers_.message(0, bytes_), buffers_.message(1, bytes_)}};
    relay_.meet(turn);
    std::vector<Seconds> times;
    notes.busy([&] {
      times = run_streams(context_.world, context_.clock, {&stream, 1}, kMessages, number_);
    });
    wrong_ += wrong_messages({&stream, 1}, number_);
    if (receives) notes.sample(crowd.first_case + pair, times.front().value() / kMessages);
  }

  const Context& context_;
  const Buffers& buffers_;
  mpi::Relay relay_;
  const std::vector<Crowd>& crowds_;
  std::uint64_t bytes_;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

Status admits(const Parameters& parameters, int ranks) {
  const auto layers = parse_layers(parameters.text("layers"), ranks);
  return layers ? Status(Done{}) : Status(layers.error());
}

Result<Outcome> run(const Context& context) {
  const auto layers = parse_layers(context.parameters.text("layers"), context.world.size());
  if (!layers) return layers.error();
  const std::uint64_t bytes = std::max<std::uint64_t>(1, context.parameters.count("bytes"));
  Result<Buffers> buffers = Buffers::make(context, bytes, 2);
  if (!buffers) return buffers.error();
  buffers.value().prepare(bytes);
  const std::vector<Crowd> crowds = crowds_of(layers.value());
  CrowdBench bench(context, buffers.value(), crowds, bytes);
  SamplingRule rule = context.parameters.rule();
  rule.quantile = 0.5;
  sample_rounds(context, cases_of(crowds, bytes), rule,
                [&](RandomStream random, RoundNotes& notes) { bench.play_all(random, notes); });
  if (const Status valid = validated(context.world, bench.wrong()); !valid) return valid.error();
  return Outcome{};
}

const Registration kRegistered(kInfo, {run, admits});

}  // namespace
}  // namespace groma::survey::network
