// Latency between all nodes: disjoint pairs at the same time, so that a round takes as many turns as there
// are nodes. How much they disturb each other is measured as well.
#include <algorithm>
#include <numeric>
#include <utility>

#include "mpi/token_scheduler.hpp"
#include "mpi/wait.hpp"
#include "survey/network/buffers.hpp"
#include "survey/network/ping_pong.hpp"
#include "survey/network/round_robin.hpp"
#include "survey/network/rounds.hpp"
#include "survey/network/validation.hpp"

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

constexpr std::uint32_t kMinRounds = 8;
constexpr std::uint64_t kLongestMessage = 1 << 30U;

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

class NodePairsBench {
 public:
  NodePairsBench(const Context& context, const Buffers& buffers, const Design& design, std::uint64_t bytes)
      : context_(context),
        buffers_(buffers),
        design_(design),
        scheduler_(context.world),
        bytes_(bytes),
        own_(static_cast<std::size_t>(
            std::lower_bound(design.ranks.begin(), design.ranks.end(), context.world.rank()) -
            design.ranks.begin())) {}

  /// Collective.
  void measure_all(RandomStream random, RoundNotes& notes) {
    ++number_;
    measure_at_once(random.fork(1), notes);
    mpi::barrier(context_.world, mpi::WaitPolicy::kSleep);
    measure_alone(random.fork(2), notes);
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  [[nodiscard]] bool takes_part() const {
    return own_ < design_.ranks.size() && design_.ranks[own_] == context_.world.rank();
  }

  /// Which pairs coincide is drawn anew in each round.
  void measure_at_once(RandomStream random, RoundNotes& notes) {
    const RoundRobin tournament(design_.nodes());
    const auto node_at = shuffled_indices(design_.ranks.size(), random);
    const auto turns = shuffled_indices(tournament.turns(), random);
    if (!takes_part()) return;
    const auto place =
        static_cast<std::uint32_t>(std::find(node_at.begin(), node_at.end(), own_) - node_at.begin());
    for (const std::size_t turn : turns) {
      const auto opponent = tournament.opponent(place, static_cast<std::uint32_t>(turn));
      if (!opponent) continue;
      const auto [first, second] = std::minmax(own_, node_at[*opponent]);
      measure(first, second, case_of(design_, first, second), notes);
    }
  }

  void measure_alone(RandomStream random, RoundNotes& notes) {
    const auto order = shuffled_indices(design_.alone.size(), random);
    std::vector<mpi::RankGroup> groups;
    for (const std::size_t which : order) {
      const auto& [first, second] = design_.alone[which];
      groups.push_back({design_.ranks[first], design_.ranks[second]});
    }
    scheduler_.run(groups, [&](std::size_t at) {
      const auto& [first, second] = design_.alone[order[at]];
      measure(first, second, design_.pairs() + order[at], notes);
    });
  }

  /// By both ends. The first one leads.
  void measure(std::size_t first, std::size_t second, std::size_t which, RoundNotes& notes) {
    const bool leads = first == own_;
    const mpi::RankGroup group = {design_.ranks[first], design_.ranks[second]};
    const PingPong ping_pong{.comm = context_.world.handle(),
                             .peer = leads ? group.back() : group.front(),
                             .leads = leads,
                             .out = buffers_.message(0, bytes_),
                             .in = buffers_.message(1, bytes_)};
    scheduler_.synchronize(group);
    Seconds time;
    notes.busy(
        [&] { time = round_trip(context_.clock, ping_pong, iterations_for(bytes_), number_, wrong_); });
    if (leads) notes.sample(which, 0.5 * time.value());
  }

  const Context& context_;
  const Buffers& buffers_;
  const Design& design_;
  mpi::TokenScheduler scheduler_;
  std::uint64_t bytes_;
  std::size_t own_;  ///< this rank's number among the participants, if it is one
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

Status check_parameters(const Parameters& parameters, int ranks) {
  if (ranks < 2) return Error{"usage", "one rank does not make a pair", "start it on at least two nodes"};
  if (parameters.count("bytes") <= kLongestMessage) return Done{};
  return Error{"usage", "pairs of nodes are measured with short messages", "give fewer bytes"};
}

Result<Outcome> run(const Context& context) {
  const std::uint64_t bytes = context.parameters.count("bytes");
  Result<Buffers> buffers = Buffers::make(context, bytes, 2);
  if (!buffers) return buffers.error();
  buffers.value().prepare(bytes);
  const Design design = design_of(context);
  NodePairsBench bench(context, buffers.value(), design, bytes);
  SamplingRule rule = context.parameters.rule();
  rule.min_rounds = std::min(kMinRounds, rule.max_rounds);
  const auto cases = context.world.is_root() ? cases_of(design, bytes) : std::vector<Case>();  // may be many
  sample_rounds(context, cases, rule,
                [&](RandomStream random, RoundNotes& notes) { bench.measure_all(random, notes); });
  if (const Status valid = validated(context.world, bench.wrong()); !valid) return valid.error();
  return Outcome{.facts = JsonObject()
                              .add("nodes", design.ranks.size())
                              .add("nodes_total", context.world.size())
                              .add("at_once", design.at_once())};
}

const Registration kRegistered(kInfo, {run, check_parameters});

}  // namespace
}  // namespace groma::survey::network
