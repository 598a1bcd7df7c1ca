#include <gtest/gtest.h>

#include "hpcc/random_access/algorithm.hpp"
#include "hpcc/random_access/local.hpp"
#include "hpcc/random_access/verification.hpp"

namespace groma::hpcc::random_access {
namespace {

constexpr Generator kBoth[] = {Generator::kPolynomial, Generator::kCongruential};

/// A table over all ranks and what this rank has of it.
struct Bench {
  Bench(std::uint64_t words, Generator generator, std::uint64_t threads = 1, std::uint64_t limit = kLookAhead)
      : workers(words, static_cast<std::uint64_t>(world.size()) * threads),
        first(workers.first(static_cast<std::uint64_t>(world.rank()) * threads)),
        table(workers.first(static_cast<std::uint64_t>(world.rank() + 1) * threads) - first),
        setup{world, workers, table, generator, threads, limit} {
    fill(table, first);
  }

  /// 4 updates for each word of this rank.
  [[nodiscard]] Section section() const { return {4 * first, 4 * table.size()}; }

  /// What 4 updates of every word make of the words here.
  [[nodiscard]] std::vector<std::uint64_t> expected() const {
    std::vector<std::uint64_t> whole(workers.words());
    fill(whole, 0);
    update_plainly(whole, setup.generator, {0, 4 * workers.words()});
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(table.size())};
  }

  mpi::Communicator world = mpi::Communicator::world();
  Partition workers;
  std::uint64_t first;
  std::vector<std::uint64_t> table;
  Setup setup;
};

/// Those that can run on these ranks.
std::vector<const Algorithm*> runnable() {
  const Site site = site_of(mpi::Communicator::world());
  std::vector<const Algorithm*> all;
  for (const Algorithm* one : registered_algorithms()) {
    if (one->can_run(site)) all.push_back(one);
  }
  return all;
}

std::unique_ptr<Updater> made(const Algorithm& algorithm, const Setup& setup) {
  auto updater = algorithm.make(setup);
  EXPECT_TRUE(updater);
  return std::move(updater).value();
}

TEST(RandomAccessAlgorithms, AllGiveTheTableOfSerialUpdates) {
  for (const Algorithm* algorithm : runnable()) {
    for (const Generator generator : kBoth) {
      const Bench bench(1U << 12U, generator);
      const auto updater = made(*algorithm, bench.setup);
      updater->apply(part_of(bench.section(), 0, 3));
      updater->apply(part_of(bench.section(), 1, 3));
      updater->apply(part_of(bench.section(), 2, 3));
      EXPECT_EQ(bench.table, bench.expected()) << algorithm->name;
    }
  }
}

TEST(RandomAccessAlgorithms, AllWorkWithSeveralThreadsOfEachRank) {
  for (const Algorithm* algorithm : runnable()) {
    const Bench bench(1U << 10U, Generator::kPolynomial, 2);
    const auto updater = made(*algorithm, bench.setup);
    updater->apply(bench.section());
    EXPECT_EQ(bench.table, bench.expected()) << algorithm->name;
    EXPECT_LE(updater->most_pending(), kLookAhead) << algorithm->name;
  }
}

TEST(RandomAccessAlgorithms, NoneHoldsMoreUpdatesThanTheLimit) {
  for (const Algorithm* algorithm : runnable()) {
    for (const std::uint64_t limit : {64U, 200U, 1024U}) {
      const Bench bench(1U << 8U, Generator::kCongruential, 1, limit);
      const auto updater = made(*algorithm, bench.setup);
      updater->apply(bench.section());
      EXPECT_LE(updater->most_pending(), limit) << algorithm->name;
      EXPECT_GT(updater->most_pending(), 0U) << algorithm->name;
      EXPECT_EQ(bench.table, bench.expected()) << algorithm->name;
    }
  }
}

TEST(RandomAccessAlgorithms, AllWorkWithTablesOfFewerWordsThanRanks) {
  for (const Algorithm* algorithm : runnable()) {
    const Bench bench(2, Generator::kPolynomial);
    const auto updater = made(*algorithm, bench.setup);
    updater->apply(bench.section());
    EXPECT_EQ(bench.table, bench.expected()) << algorithm->name;
  }
}

TEST(RandomAccessAlgorithms, AllWaitForRanksThatHaveMoreToDo) {
  for (const Algorithm* algorithm : runnable()) {
    const Bench bench(1U << 10U, Generator::kPolynomial);
    const auto updater = made(*algorithm, bench.setup);
    const bool busy = bench.world.rank() == 0;
    updater->apply({0, busy ? 4 * bench.workers.words() : 0});
    EXPECT_EQ(bench.table, bench.expected()) << algorithm->name;
  }
}

TEST(RandomAccessVerification, FindsNoWrongWordAfterTheSameUpdates) {
  for (const Generator generator : kBoth) {
    const Bench bench(1U << 12U, generator);
    apply_safely(bench.setup, bench.section());
    EXPECT_EQ(bench.table, bench.expected());
    EXPECT_EQ(count_wrong_words(bench.setup, bench.section()), 0U);
  }
}

TEST(RandomAccessVerification, CountsEveryDroppedUpdate) {
  Bench bench(1U << 12U, Generator::kPolynomial);
  Section short_of_two = bench.section();
  const bool drops = bench.world.rank() == bench.world.size() - 1;
  if (drops) short_of_two.count -= 2;
  apply_safely(bench.setup, short_of_two);
  const std::uint64_t here = count_wrong_words(bench.setup, bench.section());
  EXPECT_EQ(bench.world.reduce_to_all(here, mpi::Reduction::kSum), 2U);
  EXPECT_EQ(mend(bench.table, bench.first), 0U);
}

TEST(RandomAccessVerification, CountsAWordThatSomethingElseChanged) {
  Bench bench(1U << 12U, Generator::kCongruential);
  apply_safely(bench.setup, bench.section());
  bench.table.front() ^= 1U;
  EXPECT_EQ(count_wrong_words(bench.setup, bench.section()), 1U);
}

TEST(ChooseAlgorithm, TakesOneThatCanRunByDefault) {
  const Site site = site_of(mpi::Communicator::world());
  const auto chosen = choose_algorithm("", site);
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(chosen.value()->can_run(site));
  for (const int ranks : {2, 7, 64, 997, 4096}) {
    const Site apart{ranks, false};
    const auto between_nodes = choose_algorithm("", apart);
    ASSERT_TRUE(between_nodes);
    EXPECT_TRUE(between_nodes.value()->can_run(apart)) << ranks;
  }
}

TEST(ChooseAlgorithm, RefusesWhatIsUnknownOrCannotRun) {
  const auto unknown = choose_algorithm("guess", {2, true});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().next.find("shared"), std::string::npos);
  EXPECT_FALSE(choose_algorithm("shared", {2, false}));
}

}  // namespace
}  // namespace groma::hpcc::random_access
