#include "randomaccess/study/bench.hpp"

namespace groma::randomaccess {
namespace {

/// The updates that fall to a rank where each generates its own: as many as its words are of all.
Section own_updates(const StudyPlan& plan, const Partition& parts, std::uint64_t rank) {
  const auto edge = [&](std::uint64_t word) {
    return static_cast<std::uint64_t>(Wide{plan.updates} * word / plan.words);
  };
  const std::uint64_t first = edge(parts.first(rank));
  return {first, edge(parts.first(rank) + parts.size(rank)) - first};
}

}  // namespace

Bench bench_for(const job::Measuring& context, const StudyPlan& plan) {
  const mpi::Communicator& world = context.world;
  Bench bench{
      context, plan, world.split_by_node(), Partition(plan.words, static_cast<std::uint64_t>(world.size())),
      {},      {}};
  const Section own = own_updates(plan, bench.parts, static_cast<std::uint64_t>(world.rank()));
  bench.nodes = nodes_of(world, bench.node);
  bench.section = generated_by(plan.mode, world, bench.node, own);
  return bench;
}

Result<TableMemory> allocate_table(const Bench& bench) {
  const mpi::Communicator& world = bench.context.world;
  const std::uint64_t words = bench.parts.size(static_cast<std::uint64_t>(world.rank()));
  return TableMemory::allocate(world, bench.node, words, bench.plan.mode.table_of_node);
}

Setup setup_for(const Bench& bench, const TableMemory& memory) {
  return {.world = bench.context.world,
          .workers = bench.parts,
          .table = memory.words(),
          .generator = bench.plan.generator,
          .threads = 1,
          .limit = {bench.plan.look_ahead, bench.plan.mode.limit_of_node},
          .placement = {bench.nodes, bench.plan.mode.generation_of_node},
          .owner = bench.plan.owner,
          .grid = bench.plan.grid,
          .node_table = memory.of_node(),
          .routers = bench.plan.routers};
}

}  // namespace groma::randomaccess
