#include <gtest/gtest.h>

#include "randomaccess/algorithm.hpp"
#include "randomaccess/local.hpp"
#include "randomaccess/verification.hpp"
#include "testing/serial_updates.hpp"
#include "testing/yielding_mpi.hpp"

namespace groma::randomaccess {
namespace {

constexpr Generator kBoth[] = {Generator::kPolynomial, Generator::kCongruential};

/// A table over all ranks and what this rank has of it.
struct Bench {
  Bench(std::uint64_t words, Generator generator, std::uint64_t threads = 1, std::uint64_t limit = kLookAhead)
      : workers(words, static_cast<std::uint64_t>(world.size()) * threads),
        first(workers.first(static_cast<std::uint64_t>(world.rank()) * threads)),
        table(workers.first(static_cast<std::uint64_t>(world.rank() + 1) * threads) - first),
        setup{.world = world,
              .workers = workers,
              .table = table,
              .generator = generator,
              .threads = threads,
              .limit = {.updates = limit}} {
    fill(table, first);
  }

  /// 4 updates for each word of this rank.
  [[nodiscard]] Section section() const { return {4 * first, 4 * table.size()}; }

  /// What 4 updates of every word make of the words here.
  [[nodiscard]] std::vector<std::uint64_t> expected() const {
    std::vector<std::uint64_t> whole(workers.words());
    fill(whole, 0);
    update_serially(whole, setup.generator, {0, 4 * workers.words()});
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
  for (const Algorithm* one : Algorithms::all()) {
    if (one->unsupported_reason(site).empty()) all.push_back(one);
  }
  return all;
}

std::unique_ptr<Updater> made(const Algorithm& algorithm, Setup setup) {
  if (setup.grid.empty()) setup.grid = algorithm.grid_on(site_of(setup.world));
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
    EXPECT_LE(updater->activity().most_pending, kLookAhead) << algorithm->name;
  }
}

TEST(RandomAccessAlgorithms, NoneHoldsMoreUpdatesThanTheLimit) {
  for (const Algorithm* algorithm : runnable()) {
    for (const std::uint64_t limit : {64U, 200U, 1024U}) {
      const Bench bench(1U << 8U, Generator::kCongruential, 1, limit);
      const auto updater = made(*algorithm, bench.setup);
      updater->apply(bench.section());
      EXPECT_LE(updater->activity().most_pending, limit) << algorithm->name;
      EXPECT_GT(updater->activity().most_pending, 0U) << algorithm->name;
      EXPECT_EQ(bench.table, bench.expected()) << algorithm->name;
    }
  }
}

/// Every way to write the ranks as a product of two lengths, and one of three.
std::vector<std::vector<int>> grids(int ranks) {
  std::vector<std::vector<int>> all = {{ranks, 1, 1}};
  for (int length = 1; length <= ranks; ++length) {
    if (ranks % length == 0) all.push_back({length, ranks / length});
  }
  return all;
}

/// MPI's own barrier polls on the core of a rank that has still to work. It took MPICH most of a short run.
TEST(RandomAccessAlgorithms, LeaveTheCoreWhileTheyWaitForTheLastRank) {
  for (const Algorithm* algorithm : runnable()) {
    const Bench bench(1U << 10U, Generator::kPolynomial);
    const auto updater = made(*algorithm, bench.setup);
    const std::uint64_t before = test::blocking_barriers();
    updater->apply(bench.section());
    EXPECT_EQ(test::blocking_barriers(), before) << algorithm->name;
  }
}

TEST(RandomAccessAlgorithms, RouteAlongAnyGrid) {
  const auto route = choose_algorithm("route", site_of(mpi::Communicator::world()));
  ASSERT_TRUE(route);
  for (const auto& grid : grids(mpi::Communicator::world().size())) {
    Bench bench(1U << 10U, Generator::kPolynomial);
    bench.setup.grid = grid;
    const auto updater = made(*route.value(), bench.setup);
    updater->apply(bench.section());
    EXPECT_EQ(bench.table, bench.expected()) << grid_text(grid);
    EXPECT_LE(updater->activity().most_pending, kLookAhead) << grid_text(grid);
  }
}

TEST(RandomAccessAlgorithms, AllFindOwnersByDivisionAsWell) {
  for (const Algorithm* algorithm : runnable()) {
    Bench bench(1U << 10U, Generator::kPolynomial);
    bench.setup.owner = OwnerRule::kDivision;
    made(*algorithm, bench.setup)->apply(bench.section());
    EXPECT_EQ(bench.table, bench.expected()) << algorithm->name;
  }
}

TEST(RandomAccessAlgorithms, TellWhatLeavesARank) {
  for (const Algorithm* algorithm : runnable()) {
    const Bench bench(1U << 10U, Generator::kPolynomial);
    const auto updater = made(*algorithm, bench.setup);
    updater->apply(bench.section());
    const Activity done = updater->activity();
    const auto sum = [&](std::uint64_t own) { return bench.world.reduce_to_all(own, mpi::Reduction::kSum); };
    const std::uint64_t left = sum(done.bytes) / sizeof(std::uint64_t) + sum(done.handed);
    if (bench.world.size() == 1) {
      EXPECT_EQ(left, 0U) << algorithm->name;
    } else {
      EXPECT_GT(left, 0U) << algorithm->name;
      EXPECT_EQ(sum(done.bytes) > 0, sum(done.messages) > 0) << algorithm->name;
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

TEST(RandomAccessVerification, ExchangesNoMoreUpdatesThanOneRankMayCount) {
  for (const int ranks : {1, 32767, 32768, 1 << 24}) {
    const std::uint64_t each = updates_per_exchange(ranks);
    EXPECT_GT(each, 0U) << ranks;
    EXPECT_LE(each * static_cast<std::uint64_t>(ranks), 2147483647U) << ranks;
  }
  EXPECT_EQ(updates_per_exchange(32767), 65536U);
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
  EXPECT_EQ(repair(bench.table, bench.first), 0U);
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
  EXPECT_EQ(chosen.value()->unsupported_reason(site), "");
  for (const int ranks : {2, 7, 64, 997, 4096}) {
    const Site apart{ranks, false};
    const auto between_nodes = choose_algorithm("", apart);
    ASSERT_TRUE(between_nodes);
    EXPECT_EQ(between_nodes.value()->unsupported_reason(apart), "") << ranks;
  }
}

std::string refused(const std::string& name, const Site& site) {
  const auto chosen = choose_algorithm(name, site);
  return chosen ? "accepted" : chosen.error().code + ": " + chosen.error().what;
}

TEST(ChooseAlgorithm, RefusesWhatIsUnknownOrCannotRun) {
  const auto unknown = choose_algorithm("guess", {2, true});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().next.find("shared"), std::string::npos);
  EXPECT_NE(refused("shared", {2, false}).find("several nodes"), std::string::npos);
  EXPECT_NE(refused("direct", {.ranks = 64, .one_node = false, .limit = {.updates = 40}}).find("63 peers"),
            std::string::npos);
}

TEST(ChooseAlgorithm, RefusesGridsOfOtherSizesAndForOtherAlgorithms) {
  EXPECT_EQ(refused("route", {.ranks = 6, .one_node = false, .grid = {2, 3}}), "accepted");
  EXPECT_NE(refused("route", {.ranks = 6, .one_node = false, .grid = {2, 2}}).find("4 places for 6 ranks"),
            std::string::npos);
  EXPECT_NE(refused("route", {.ranks = 6, .one_node = false, .grid = {1}}).find("1 place for 6 ranks"),
            std::string::npos);
  EXPECT_NE(refused("specialise", {.ranks = 6, .one_node = true, .per_node = 6, .grid = {2}})
                .find("2 places for 1 node"),
            std::string::npos);
  EXPECT_NE(refused("direct", {.ranks = 6, .one_node = false, .grid = {2, 3}}).find("takes no grid"),
            std::string::npos);
  const auto chosen = choose_algorithm("", {.ranks = 6, .one_node = true, .grid = {2, 3}});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen.value()->name, "route");
}

}  // namespace
}  // namespace groma::randomaccess
