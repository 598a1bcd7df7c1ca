// Latency between pairs of ranks, one pair at a time: from it the communication layers are found.
#include <algorithm>

#include "base/pair_design.hpp"
#include "mpi/token_scheduler.hpp"
#include "survey/network/buffers.hpp"
#include "survey/network/ping_pong.hpp"
#include "survey/network/rounds.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_pairs",
    .title = "Latency between pairs",
    .measures = "half of a round trip of a short message between two ranks (s)",
    .method =
        "blocking ping-pong of one pair at a time while the others sleep; all pairs when few, else as many "
        "as fit, spread over nodes and cores",
    .traffic = "about a hundred messages each way per sample",
    .reference = "Servet 3.0, section 3",
    .order = 10,
    .ranks = "pairs",
    .parameters = {{"bytes", "8", "8", "8", "bytes of a message"},
                   {"pairs", "150", "600", "4000", "pairs at most"},
                   {"budget", "5", "20", "120", "seconds for all rounds"},
                   {"rounds", "12", "30", "100", "rounds after which sampling stops"}}};

constexpr std::uint32_t kMinRounds = 10;
constexpr std::uint64_t kLongestMessage = 1 << 30U;

/// The pairs that a machine of several nodes is likely to distinguish, each class in its own right: those
/// within the first node, within any node, between nodes, and any.
std::vector<std::vector<Pair>> classes_of(const mpi::Nodes& nodes, std::size_t most, RandomStream random) {
  const auto ranks = static_cast<std::uint32_t>(nodes.of_rank.size());
  std::vector<std::vector<Pair>> classes(4);
  const auto note = [&](std::uint32_t first, std::uint32_t second) {
    if (first == second) return;
    const Pair pair{std::min(first, second), std::max(first, second)};
    const int node = nodes.of_rank[first];
    const bool within = node == nodes.of_rank[second];
    if (within && node == 0) classes[0].push_back(pair);
    classes[within ? 1 : 2].push_back(pair);
    classes[3].push_back(pair);
  };
  const std::uint64_t all = std::uint64_t{ranks} * (ranks - 1) / 2;
  if (all <= 16 * std::uint64_t{most}) {
    for (const Pair& pair : unordered_pairs(ranks)) note(pair.first, pair.second);
    return classes;
  }
  // Too many to list: those of the first node, and several times as many as are wanted by chance.
  const std::vector<int>& first_node = nodes.ranks.front();
  for (const int first : first_node) {
    for (const int second : first_node) {
      if (first < second) note(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second));
    }
  }
  for (std::size_t i = 0; i < 4 * most; ++i) {
    const auto first = static_cast<std::uint32_t>(random.below(ranks));
    note(first, static_cast<std::uint32_t>(random.below(ranks)));
    const auto& around = nodes.around(static_cast<int>(first));
    note(first, static_cast<std::uint32_t>(around[random.below(around.size())]));
  }
  return classes;
}

struct Design {
  std::vector<Pair> pairs;
  std::uint64_t total;

  [[nodiscard]] bool is_whole() const { return pairs.size() == total; }
};

Design design_of(const Context& context) {
  const auto ranks = static_cast<std::uint32_t>(context.world.size());
  const std::uint64_t total = std::uint64_t{ranks} * (ranks - 1) / 2;
  const std::uint64_t most = std::max<std::uint64_t>(1, context.parameters.count("pairs"));
  if (total <= most) return {.pairs = unordered_pairs(ranks), .total = total};
  const RandomStream random(context.parameters.count("seed"));
  const auto classes = classes_of(context.nodes, most, random.fork(1));
  return {.pairs = spread_over_classes(classes, most, random.fork(2)), .total = total};
}

std::vector<Case> cases_of(const std::vector<Pair>& pairs, std::uint64_t bytes) {
  std::vector<Case> cases;
  for (const Pair& pair : pairs) {
    cases.push_back(Case("s").with("from", pair.first).with("to", pair.second).with("bytes", bytes));
  }
  return cases;
}

std::vector<mpi::RankGroup> groups_of(const std::vector<Pair>& pairs) {
  std::vector<mpi::RankGroup> groups;
  for (const Pair& pair : pairs) {
    groups.push_back({static_cast<int>(pair.first), static_cast<int>(pair.second)});
  }
  return groups;
}

/// Plays the pairs of a round, whatever their order.
class PairBench {
 public:
  PairBench(const Context& context, const Buffers& buffers, std::vector<mpi::RankGroup> groups,
            std::uint64_t bytes)
      : context_(context),
        buffers_(buffers),
        scheduler_(context.world),
        groups_(std::move(groups)),
        bytes_(bytes) {}

  void measure_all(RandomStream random, RoundNotes& notes) {
    std::vector<std::size_t> order(groups_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    shuffle(std::span(order), random);
    std::vector<mpi::RankGroup> groups;
    for (const std::size_t pair : order) groups.push_back(groups_[pair]);
    ++number_;
    scheduler_.run(groups, [&](std::size_t at) { measure(groups[at], order[at], notes); });
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  void measure(const mpi::RankGroup& group, std::size_t which, RoundNotes& notes) {
    const bool leads = group.front() == context_.world.rank();
    const PingPong ping_pong{.comm = context_.world.handle(),
                             .peer = leads ? group.back() : group.front(),
                             .leads = leads,
                             .out = buffers_.message(0, bytes_),
                             .in = buffers_.message(1, bytes_)};
    Seconds time;
    notes.busy(
        [&] { time = round_trip(context_.clock, ping_pong, iterations_for(bytes_), number_, wrong_); });
    if (leads) notes.sample(which, 0.5 * time.value());
  }

  const Context& context_;
  const Buffers& buffers_;
  mpi::TokenScheduler scheduler_;
  std::vector<mpi::RankGroup> groups_;
  std::uint64_t bytes_;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

Status check_parameters(const Parameters& parameters, int ranks) {
  if (ranks < 2) return Error{"usage", "one rank does not make a pair", "start at least two ranks"};
  if (parameters.count("bytes") <= kLongestMessage) return Done{};
  return Error{"usage", "pairs are measured with short messages", "give fewer bytes"};
}

Result<Outcome> run(const Context& context) {
  const std::uint64_t bytes = context.parameters.count("bytes");
  Result<Buffers> buffers = Buffers::make(context, bytes, 2);
  if (!buffers) return buffers.error();
  buffers.value().prepare(bytes);
  const Design design = design_of(context);
  PairBench bench(context, buffers.value(), groups_of(design.pairs), bytes);
  SamplingRule rule = context.parameters.rule();
  rule.min_rounds = std::min(kMinRounds, rule.max_rounds);
  sample_rounds(context, cases_of(design.pairs, bytes), rule,
                [&](RandomStream random, RoundNotes& notes) { bench.measure_all(random, notes); });
  if (const Status valid = validated(context.world, bench.wrong()); !valid) return valid.error();
  return Outcome{.facts = JsonObject()
                              .add("design", design.is_whole() ? "all" : "sampled")
                              .add("pairs", design.pairs.size())
                              .add("pairs_total", design.total)};
}

const Registration kRegistered(kInfo, {run, check_parameters});

}  // namespace
}  // namespace groma::survey::network
