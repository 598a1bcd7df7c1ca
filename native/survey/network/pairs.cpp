// Latency between pairs of ranks, one pair at a time: from it the communication layers are found.
#include <algorithm>

#include "base/pair_design.hpp"
#include "survey/network/pair_bench.hpp"

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

std::vector<PairOfRanks> ranks_of(const std::vector<Pair>& pairs) {
  std::vector<PairOfRanks> ranks;
  for (const Pair& pair : pairs) {
    ranks.push_back({static_cast<int>(pair.first), static_cast<int>(pair.second)});
  }
  return ranks;
}

Result<Outcome> run(const Context& context) {
  const Design design = design_of(context);
  const auto pairs = ranks_of(design.pairs);
  const auto round = [&](PairBench& bench, RandomStream random, RoundNotes& notes) {
    bench.measure_in_turn(pairs, 0, random, notes);
  };
  const auto cases = cases_of(design.pairs, context.parameters.count("bytes"));
  if (const Status done = sample_pairs(context, cases, round); !done) return done.error();
  return Outcome{.facts = JsonObject()
                              .add("design", design.is_whole() ? "all" : "sampled")
                              .add("pairs", design.pairs.size())
                              .add("pairs_total", design.total)};
}

const Registration kRegistered(kInfo, {run, check_pairs});

}  // namespace
}  // namespace groma::survey::network
