// The Network Access Benchmark: what several processes on a node cost each other on their way out of it.
#include <algorithm>

#include "base/affinity.hpp"
#include "base/topology_queries.hpp"
#include "survey/network/shift.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_access",
    .title = "Access to the network",
    .measures = "time of a message to the next node while several ranks of each node send at once (s)",
    .method =
        "every rank sends pieces to the one in its place on the next node until each rank has its message; "
        "the "
        "ranks of a node are pinned to cores spread evenly over packages, NUMA nodes and caches",
    .traffic = "a quarter more than one message of each rank per sample",
    .reference = "Servet 3.0, section 4.2",
    .order = 70,
    .ranks = "processes_per_node",
    .parameters = {
        {"bytes", "33554432", "33554432", "33554432", "largest message in bytes; the budget may reduce it"},
        {"pin", "1", "1", "1", "pin ranks to cores; 0 where several nodes share the same cores"},
        {"budget", "2", "4", "20", "seconds for all rounds"},
        {"rounds", "10", "20", "60", "rounds after which sampling stops"}}};

constexpr std::uint32_t kMinRounds = 7;

/// The same number of ranks on each of several nodes, or why not.
Status even(const mpi::Nodes& nodes) {
  const auto differs = [&](const auto& ranks) { return ranks.size() != nodes.ranks.front().size(); };
  if (nodes.count() > 1 && std::none_of(nodes.ranks.begin(), nodes.ranks.end(), differs)) return Done{};
  return Error{"environment", "access to the network needs several nodes with the same number of ranks each",
               "check how the launcher places ranks"};
}

/// Ranks in the same place on the next and on the previous node.
Shift to_next_node(const Context& context) {
  const auto rank = static_cast<std::size_t>(context.world.rank());
  const auto node = static_cast<std::size_t>(context.nodes.of_rank[rank]);
  const auto place = static_cast<std::size_t>(context.nodes.place[rank]);
  const std::size_t count = context.nodes.count();
  return {.to = context.nodes.ranks[(node + 1) % count][place],
          .from = context.nodes.ranks[(node + count - 1) % count][place]};
}

/// Where there are more ranks than cores, they come round. Nodes that share cores would all take the same.
Status pin_evenly(const Context& context) {
  if (context.parameters.count("pin") == 0) return Done{};
  const Result<Topology> topology = topology_to_measure();
  if (!topology) return topology.error();
  const std::vector<LogicalCore> order =
      spread_order(one_core_per(Place::kCore, topology.value()), topology.value());
  if (order.empty()) return Done{};
  const auto place =
      static_cast<std::size_t>(context.nodes.place[static_cast<std::size_t>(context.world.rank())]);
  return pin_this_thread(topology.value().physical(order[place % order.size()]));
}

std::vector<Case> cases_of(const Context& context, std::uint64_t bytes, std::uint64_t piece) {
  const std::size_t per_node = context.nodes.ranks.front().size();
  std::vector<Case> cases;
  for (int rank = 0; rank < context.world.size(); ++rank) {
    cases.push_back(
        Case("s").with("per_node", per_node).with("rank", rank).with("bytes", bytes).with("piece", piece));
  }
  return cases;
}

Result<Outcome> run(const Context& context) {
  if (const Status status = even(context.nodes); !status) return status.error();
  if (const Status status = context.world.agree(pin_evenly(context)); !status) return status.error();
  const std::uint64_t most = std::max<std::uint64_t>(1, context.parameters.count("bytes"));
  Result<Buffers> buffers = Buffers::make(context, most, 2);
  if (!buffers) return buffers.error();
  ShiftBench bench(context, std::move(buffers).value());
  const SamplingRule rule = median_rule(context, kMinRounds);
  const Shift shift = to_next_node(context);
  const std::uint64_t bytes = fit_shifts(context, bench, {&shift, 1}, rule, rule.min_rounds + 1);
  const std::uint64_t piece = pieces_of(bytes, bench.pieces()).bytes;
  const auto rank = static_cast<std::size_t>(context.world.rank());
  sample_rounds(context, cases_of(context, bytes, piece), rule, [&](RandomStream, RoundNotes& notes) {
    notes.sample(rank, bench.run(shift, bytes, &notes).time.value());
  });
  if (const Status valid = bench.validated(); !valid) return valid.error();
  return Outcome{
      .facts = JsonObject().add("bytes", bytes).add("piece", piece).add("nodes", context.nodes.count())};
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey::network
