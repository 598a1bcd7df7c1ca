// Latency between all nodes: disjoint pairs at the same time, so that a round takes as many turns as there
// are nodes. How much they disturb each other is measured as well.
#include <algorithm>
#include <numeric>
#include <utility>

#include "mpi/wait.hpp"
#include "survey/network/pair_bench.hpp"
#include "survey/network/round_robin.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_node_pairs",
    .title = "Latency between nodes",
    .measures = "half of a round trip of a short message between the ranks of two nodes (s)",
    .method =
        "blocking ping-pongs of all nodes with all others, disjoint pairs at the same time; some pairs also "
        "alone, as a check",
    .traffic = "about a hundred messages each way per sample, one in flight for each two nodes",
    .reference = "round-robin tournament by the circle method; Servet 3.0, section 3, for the sample",
    .order = 45,
    .ranks = "one_per_node",
    .parameters = {{"bytes", "8", "8", "8", "bytes of a message"},
                   {"nodes", "256", "512", "512", "nodes at most, drawn at random where there are more"},
                   {"alone", "8", "24", "48", "pairs that are also measured alone"},
                   {"budget", "4", "12", "60", "seconds for all rounds"},
                   {"rounds", "8", "15", "40", "rounds after which sampling stops"}}};

/// Numbers of participants in ascending order.
using PairOfNodes = std::pair<std::uint32_t, std::uint32_t>;

struct Design {
  std::vector<int> ranks;          ///< that take part, in ascending order
  std::vector<PairOfNodes> alone;  ///< also measured alone

  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(ranks.size()); }
  [[nodiscard]] std::size_t pairs() const { return ranks.size() * (ranks.size() - 1) / 2; }
  /// Pairs at the same time.
  [[nodiscard]] std::size_t at_once() const { return ranks.size() / 2; }
};

/// As many as there may be, by chance.
std::vector<int> participants_of(int all, std::uint64_t most, RandomStream random) {
  std::vector<int> ranks(static_cast<std::size_t>(all));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (ranks.size() > most) {
    shuffle(std::span(ranks), random);
    ranks.resize(most);
    std::sort(ranks.begin(), ranks.end());
  }
  return ranks;
}

/// Pairs of a round-robin tournament of shuffled nodes from its first turn on, so that they use all nodes
/// evenly.
std::vector<PairOfNodes> pairs_alone(std::uint32_t nodes, std::size_t most, RandomStream random) {
  std::vector<PairOfNodes> pairs;
  const auto nodes_in_order = shuffled_indices(nodes, random);
  const RoundRobin tournament(nodes);
  for (std::uint32_t turn = 0; turn < tournament.turns(); ++turn) {
    for (std::uint32_t place = 0; place < nodes && pairs.size() < most; ++place) {
      const auto opponent = tournament.opponent(place, turn);
      if (!opponent || *opponent < place) continue;
      const auto [low, high] = std::minmax(nodes_in_order[place], nodes_in_order[*opponent]);
      pairs.emplace_back(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high));
    }
  }
  return pairs;
}

Design design_of(const Context& context) {
  const RandomStream random(context.parameters.count("seed"));
  const std::uint64_t most = std::max<std::uint64_t>(2, context.parameters.count("nodes"));
  Design design{.ranks = participants_of(context.world.size(), most, random.fork(1)), .alone = {}};
  if (design.at_once() > 1) {
    design.alone = pairs_alone(design.nodes(), context.parameters.count("alone"), random.fork(2));
  }
  return design;
}

/// Those of all pairs first, in the order of `case_of`.
std::vector<Case> cases_of(const Design& design, std::uint64_t bytes) {
  std::vector<Case> cases;
  const auto add = [&](std::uint32_t first, std::uint32_t second, std::size_t at_once) {
    cases.push_back(Case("s")
                        .with("from", design.ranks[first])
                        .with("to", design.ranks[second])
                        .with("bytes", bytes)
                        .with("at_once", at_once));
  };
  for (std::uint32_t first = 0; first < design.nodes(); ++first) {
    for (std::uint32_t second = first + 1; second < design.nodes(); ++second) {
      add(first, second, design.at_once());
    }
  }
  for (const auto& [first, second] : design.alone) add(first, second, 1);
  return cases;
}

std::size_t case_of(const Design& design, std::size_t first, std::size_t second) {
  const std::size_t before = first * (2 * design.ranks.size() - first - 1) / 2;
  return before + second - first - 1;
}

std::vector<PairOfRanks> ranks_alone(const Design& design) {
  std::vector<PairOfRanks> ranks;
  for (const auto& [first, second] : design.alone) {
    ranks.push_back({design.ranks[first], design.ranks[second]});
  }
  return ranks;
}

/// Collective. Which pairs coincide is drawn anew in each round.
void measure_at_once(const Context& context, const Design& design, PairBench& bench, RandomStream random,
                     RoundNotes& notes) {
  const RoundRobin tournament(design.nodes());
  const auto node_at = shuffled_indices(design.ranks.size(), random);
  const auto turns = shuffled_indices(tournament.turns(), random);
  const auto found = std::find_if(node_at.begin(), node_at.end(), [&](std::size_t node) {
    return design.ranks[node] == context.world.rank();
  });
  if (found == node_at.end()) return;  // takes no part
  const auto place = static_cast<std::uint32_t>(found - node_at.begin());
  for (const std::size_t turn : turns) {
    const auto opponent = tournament.opponent(place, static_cast<std::uint32_t>(turn));
    if (!opponent) continue;
    const auto [first, second] = std::minmax(node_at[place], node_at[*opponent]);
    bench.measure({design.ranks[first], design.ranks[second]}, case_of(design, first, second), notes);
  }
}

Result<Outcome> run(const Context& context) {
  const Design design = design_of(context);
  const auto alone = ranks_alone(design);
  const auto round = [&](PairBench& bench, RandomStream random, RoundNotes& notes) {
    measure_at_once(context, design, bench, random.fork(1), notes);
    mpi::barrier(context.world, mpi::WaitPolicy::kSleep);
    bench.measure_in_turn(alone, design.pairs(), random.fork(2), notes);
  };
  std::vector<Case> cases;  // may be many
  if (context.world.is_root()) cases = cases_of(design, context.parameters.count("bytes"));
  if (const Status done = sample_pairs(context, cases, round); !done) return done.error();
  return Outcome{.facts = JsonObject()
                              .add("nodes", design.ranks.size())
                              .add("nodes_total", context.world.size())
                              .add("at_once", design.at_once())};
}

const Registration kRegistered(kInfo, {run, check_pairs});

}  // namespace
}  // namespace groma::survey::network
