// How a communication layer scales: several messages at once against one.
#include <algorithm>

#include "survey/network/buffers.hpp"
#include "survey/network/layers.hpp"
#include "survey/network/rounds.hpp"
#include "survey/network/stream.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{.name = "net_concurrency",
                      .title = "Messages at the same time",
                      .measures = "time of each of k messages that pairs of one layer send at once (s)",
                      .method =
                          "k pairs synchronize, then the first rank of each sends eight messages, two in "
                          "flight at a time; the receiver's time divided by eight",
                      .traffic = "8 k messages per sample",
                      .reference = "Servet 3.0, section 3 (scalability of communications)",
                      .order = 40,
                      .ranks = "layers",
                      .parameters = {kLayersParameter,
                                     {"bytes", "1048576", "1048576", "1048576", "bytes of a message"},
                                     {"budget", "3", "10", "40", "seconds for all rounds"},
                                     {"rounds", "10", "25", "100", "rounds after which sampling stops"}}};

constexpr std::uint32_t kMessages = 8;

/// The first `messages` pairs of a layer, which send at the same time.
struct PairSet {
  const LayerPairs* layer;
  std::size_t messages;
  std::size_t first_case;

  /// Receivers first: the leader of a group then has a time to report.
  [[nodiscard]] mpi::RankGroup group() const {
    mpi::RankGroup group;
    for (std::size_t i = 0; i < messages; ++i) group.push_back(static_cast<int>(layer->pairs[i].second));
    for (std::size_t i = 0; i < messages; ++i) group.push_back(static_cast<int>(layer->pairs[i].first));
    return group;
  }
};

/// 1, 2, 4 … and all pairs of each layer.
std::vector<PairSet> sets_of(const std::vector<LayerPairs>& layers) {
  std::vector<PairSet> sets;
  std::size_t cases = 0;
  for (const LayerPairs& layer : layers) {
    for (std::size_t count = 1; count <= layer.pairs.size();) {
      sets.push_back({.layer = &layer, .messages = count, .first_case = cases});
      cases += count;
      count = count < layer.pairs.size() ? std::min(2 * count, layer.pairs.size()) : count + 1;
    }
  }
  return sets;
}

std::vector<Case> cases_of(const std::vector<PairSet>& sets, std::uint64_t bytes) {
  std::vector<Case> cases;
  for (const PairSet& set : sets) {
    for (std::size_t i = 0; i < set.messages; ++i) {
      cases.push_back(Case("s")
                          .with("layer", set.layer->name)
                          .with("messages", set.messages)
                          .with("pair", i)
                          .with("bytes", bytes));
    }
  }
  return cases;
}

class ConcurrencyBench {
 public:
  ConcurrencyBench(const Context& context, const Buffers& buffers, const std::vector<PairSet>& sets,
                   std::uint64_t bytes)
      : context_(context), buffers_(buffers), scheduler_(context.world), sets_(sets), bytes_(bytes) {}

  void measure_all(RandomStream random, RoundNotes& notes) {
    ++number_;
    const auto order = shuffled_indices(sets_.size(), random);
    std::vector<mpi::RankGroup> groups;
    for (const std::size_t which : order) groups.push_back(sets_[which].group());
    scheduler_.run(groups, [&](std::size_t at) { measure(sets_[order[at]], groups[at], notes); });
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  void measure(const PairSet& set, const mpi::RankGroup& group, RoundNotes& notes) {
    const auto place = static_cast<std::size_t>(std::find(group.begin(), group.end(), context_.world.rank()) -
                                                group.begin());
    const bool receives = place < set.messages;
    const std::size_t pair = place % set.messages;
    const std::size_t other = receives ? pair + set.messages : pair;
    const Stream stream{.peer = group[other],
                        .direction = receives ? Direction::kReceive : Direction::kSend,
                        .memory = {buffers_.message(0, bytes_), buffers_.message(1, bytes_)}};
    scheduler_.synchronize(group);
    std::vector<Seconds> times;
    notes.busy([&] {
      times = run_streams(context_.world, context_.clock, {&stream, 1}, kMessages, number_);
    });
    wrong_ += wrong_messages({&stream, 1}, number_);
    if (receives) notes.sample(set.first_case + pair, times.front().value() / kMessages);
  }

  const Context& context_;
  const Buffers& buffers_;
  mpi::TokenScheduler scheduler_;
  const std::vector<PairSet>& sets_;
  std::uint64_t bytes_;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

Status check_parameters(const Parameters& parameters, int ranks) {
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
  const std::vector<PairSet> sets = sets_of(layers.value());
  ConcurrencyBench bench(context, buffers.value(), sets, bytes);
  SamplingRule rule = context.parameters.rule();
  rule.quantile = 0.5;
  sample_rounds(context, cases_of(sets, bytes), rule,
                [&](RandomStream random, RoundNotes& notes) { bench.measure_all(random, notes); });
  if (const Status valid = validated(context.world, bench.wrong()); !valid) return valid.error();
  return Outcome{};
}

const Registration kRegistered(kInfo, {run, check_parameters});

}  // namespace
}  // namespace groma::survey::network
