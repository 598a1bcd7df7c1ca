// Every kernel, compiled with faulty updates: verification has to report what they spoil.
#include <gtest/gtest.h>

#include "randomaccess/global_run.hpp"
#include "randomaccess/local.hpp"
#include "randomaccess/table_memory.hpp"
#include "testing/mutants/every_fault.hpp"

namespace groma::randomaccess {
namespace {

constexpr Generator kBoth[] = {Generator::kPolynomial, Generator::kCongruential};

class Kernels : public EveryFault {};
INSTANTIATE_TEST_SUITE_P(Faults, Kernels, ::testing::ValuesIn(kFaults));

TEST_P(Kernels, OfThreadsWithATableOfTheirOwnIsFound) {
  for (const std::uint64_t threads : {1U, 2U, 3U}) {
    for (const Generator generator : kBoth) {
      const MutatedTable table;
      LocalTable(table.words, threads).apply(generator, kMutatedSection);
      expect_found(count_wrong_words(table.words, generator, kMutatedSection), std::to_string(threads));
    }
  }
}

/// A table of the node over all ranks, and what an algorithm makes of it.
std::uint64_t wrong_words_by(const Algorithm& algorithm, const Site& site, Generator generator) {
  const mpi::Communicator world = mpi::Communicator::world();
  const Partition parts(kMutatedWords, static_cast<std::uint64_t>(world.size()));
  const auto rank = static_cast<std::uint64_t>(world.rank());
  const auto memory =
      TableMemory::allocate(world, world.split_by_node(), parts.size(rank), site.table_of_node).value();
  const Setup setup{.world = world,
                    .workers = parts,
                    .table = memory.words(),
                    .generator = generator,
                    .grid = algorithm.grid_on(site),
                    .node_table = memory.of_node()};
  const SystemClock clock;
  GlobalRun run(clock, setup, algorithm.make(setup).value(),
                part_of(kMutatedSection, rank, static_cast<std::uint64_t>(world.size())), 1);
  run.measure(0);
  return run.totals().wrong;
}

TEST_P(Kernels, OfEachAlgorithmIsFound) {
  Site site = site_of(mpi::Communicator::world());
  for (const bool of_node : {false, true}) {
    site.table_of_node = of_node;
    for (const Algorithm* algorithm : Algorithms::all()) {
      if (!algorithm->unsupported_reason(site).empty()) continue;
      for (const Generator generator : kBoth) {
        expect_found(wrong_words_by(*algorithm, site, generator), std::string(algorithm->name));
      }
    }
  }
}

}  // namespace
}  // namespace groma::randomaccess
