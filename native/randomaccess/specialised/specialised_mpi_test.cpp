#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>

#include "randomaccess/local.hpp"
#include "randomaccess/specialised/budget.hpp"
#include "randomaccess/specialised/specialised.hpp"
#include "randomaccess/specialised/split.hpp"
#include "randomaccess/table_memory.hpp"
#include "randomaccess/verification.hpp"
#include "testing/one_thread.hpp"
#include "testing/serial_updates.hpp"
#include "testing/yielding_mpi.hpp"

ALL_ON_ONE_THREAD;

namespace groma::randomaccess {
namespace {

/// What is pretended of the ranks, and what they do.
struct TestCase {
  int per_node;
  int routers = 0;
  std::vector<int> grid = {};
  std::uint64_t words = std::uint64_t{1} << 12U;
  Generator generator = Generator::kPolynomial;
  std::uint64_t limit = kLookAhead;
  bool limit_of_node = false;
};

std::string describe(const TestCase& test_case) {
  return std::to_string(test_case.per_node) + " ranks a node, " + std::to_string(test_case.routers) +
         " route, grid " + grid_text(test_case.grid) + ", limit " + std::to_string(test_case.limit) +
         (test_case.limit_of_node ? " a node" : "");
}

/// A table over ranks that are divided into nodes as the test_case has it, wherever they are.
struct Stage {
  explicit Stage(const TestCase& test_case)
      : parts(test_case.words, static_cast<std::uint64_t>(world.size())),
        first(parts.first(own())),
        node(on_node_of(test_case)),
        memory(TableMemory::allocate(world, node, parts.size(own()), true).value()),
        setup{.world = world,
              .workers = parts,
              .table = memory.words(),
              .generator = test_case.generator,
              .limit = {test_case.limit, test_case.limit_of_node},
              .node_table = memory.of_node()} {
    fill(setup.table, first);
    auto made = make_specialised(setup, {on_node_of(test_case), test_case.routers, test_case.grid});
    EXPECT_TRUE(made) << describe(test_case);
    updater = std::move(made).value();
  }

  [[nodiscard]] mpi::Communicator on_node_of(const TestCase& test_case) const {
    return world.split(world.rank() / test_case.per_node, world.rank()).value();
  }

  [[nodiscard]] std::uint64_t own() const { return static_cast<std::uint64_t>(world.rank()); }
  [[nodiscard]] Section section() const { return {4 * first, 4 * setup.table.size()}; }
  [[nodiscard]] std::vector<std::uint64_t> found() const { return {setup.table.begin(), setup.table.end()}; }

  /// What the updates of the whole run from 0 to `count` make of the words here.
  [[nodiscard]] std::vector<std::uint64_t> expected(std::uint64_t count) const {
    std::vector<std::uint64_t> whole(parts.words());
    fill(whole, 0);
    update_serially(whole, setup.generator, {0, count});
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(setup.table.size())};
  }
  [[nodiscard]] std::vector<std::uint64_t> expected() const { return expected(4 * parts.words()); }

  mpi::Communicator world = mpi::Communicator::world();
  Partition parts;
  std::uint64_t first;
  mpi::Communicator node;
  TableMemory memory;
  Setup setup;
  std::unique_ptr<Updater> updater;
};

void expect_table_and_limit(const TestCase& test_case) {
  const Stage stage(test_case);
  stage.updater->apply(stage.section());
  EXPECT_EQ(stage.found(), stage.expected()) << describe(test_case);
  const std::uint64_t most = stage.updater->activity().most_pending;
  const std::uint64_t of_holder =
      test_case.limit_of_node ? stage.node.reduce_to_all(most, mpi::Reduction::kSum) : most;
  EXPECT_LE(of_holder, test_case.limit) << describe(test_case);
  EXPECT_GT(stage.world.reduce_to_all(most, mpi::Reduction::kMax), 0U) << describe(test_case);
}

std::vector<int> divisors(int number) {
  std::vector<int> all;
  for (int one = 1; one <= number; ++one) {
    if (number % one == 0) all.push_back(one);
  }
  return all;
}

/// None for one node; else one dimension, or two where that can be.
std::vector<std::vector<int>> grids(int nodes) {
  if (nodes == 1) return {{}};
  std::vector<std::vector<int>> all = {{nodes}};
  for (const int length : divisors(nodes)) {
    if (length != 1 && length != nodes) all.push_back({length, nodes / length});
  }
  return all;
}

/// Every way to divide these ranks into nodes, nodes into a grid, and the ranks of a node into roles.
std::vector<TestCase> all_scenes() {
  const int ranks = mpi::Communicator::world().size();
  std::vector<TestCase> all;
  for (const int per_node : divisors(ranks)) {
    for (const auto& grid : grids(ranks / per_node)) {
      for (int routers = per_node == 1 ? 0 : 1; routers < per_node; ++routers) {
        all.push_back({.per_node = per_node, .routers = routers, .grid = grid});
      }
    }
  }
  return all;
}

/// Those with one rank that routes, and with one that updates.
std::vector<TestCase> some_scenes() {
  std::vector<TestCase> some = all_scenes();
  std::erase_if(some, [](const TestCase& test_case) {
    return test_case.per_node == 1 || (test_case.routers != 1 && test_case.routers != test_case.per_node - 1);
  });
  return some;
}

TEST(Specialised, GivesTheTableOfSerialUpdatesForAllRolesAndGrids) {
  for (const TestCase& test_case : all_scenes()) expect_table_and_limit(test_case);
}

/// Page faults while all of the words are written as they are.
long faults_of_writing(std::span<std::uint64_t> words) {
  const auto faults = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_minflt;
  };
  const long before = faults();
  for (std::uint64_t& word : words) {
    volatile std::uint64_t& written = word;
    written = written;
  }
  return faults() - before;
}

TEST(Specialised, TouchesPagesFirstOnTheRankThatUpdatesThem) {
  const auto world = mpi::Communicator::world();
  const auto ranks = static_cast<std::uint64_t>(world.size());
  if (ranks < 2) return;
  constexpr std::uint64_t kWordsOfPage = 512;
  const Partition parts(2048 * kWordsOfPage, ranks);
  const auto own = static_cast<std::uint64_t>(world.rank());
  const auto memory = TableMemory::allocate(world, world, parts.size(own), true).value();
  const randomaccess::Setup setup{.world = world,
                                  .workers = parts,
                                  .table = memory.words(),
                                  .generator = {},
                                  .node_table = memory.of_node()};
  ASSERT_TRUE(make_specialised(setup, {world.duplicate(), 1, {}}));
  if (own == 0) return;  // routes
  const Split split(parts.words(), ranks - 1);
  const auto words = memory.of_node().subspan(split.first(own - 1), split.size(own - 1));
  EXPECT_LT(static_cast<std::uint64_t>(faults_of_writing(words)), words.size() / kWordsOfPage / 4);
}

TEST(Specialised, WorksWithTheOtherGeneratorTheSame) {
  for (TestCase test_case : some_scenes()) {
    test_case.generator = Generator::kCongruential;
    test_case.words = 1U << 10U;
    expect_table_and_limit(test_case);
  }
}

TEST(Specialised, WorksWithTablesOfFewerWordsThanRanks) {
  for (TestCase test_case : some_scenes()) {
    for (const std::uint64_t words : {1U, 2U, 8U}) {
      test_case.words = words;
      const Stage stage(test_case);
      stage.updater->apply(stage.section());
      EXPECT_EQ(stage.found(), stage.expected()) << describe(test_case);
    }
  }
}

TEST(Specialised, StaysWithinLowLimits) {
  for (TestCase test_case : some_scenes()) {
    test_case.words = 1U << 8U;
    for (const std::uint64_t limit : {64U, 200U}) {
      test_case.limit = limit;
      expect_table_and_limit(test_case);
    }
  }
}

TEST(Specialised, SharesTheLimitOfANodeAmongItsRanks) {
  for (TestCase test_case : all_scenes()) {
    if (test_case.per_node == 1) continue;
    test_case.limit_of_node = true;
    for (const std::uint64_t limit : {100U, 1024U}) {
      test_case.limit = limit;
      expect_table_and_limit(test_case);
    }
  }
}

TEST(Specialised, FillsMessagesToTheirBucketsWhereverTheLimitIs) {
  const int ranks = mpi::Communicator::world().size();
  if (ranks < 4 || ranks % 2 != 0) return;
  for (const bool of_node : {false, true}) {
    const Stage stage({.per_node = 2, .grid = {ranks / 2}, .words = 1U << 16U, .limit_of_node = of_node});
    stage.updater->apply(stage.section());
    const auto sum = [&](std::uint64_t own) { return stage.world.reduce_to_all(own, mpi::Reduction::kSum); };
    const Activity done = stage.updater->activity();
    const std::uint64_t in_message = sum(done.bytes) / sizeof(std::uint64_t) / sum(done.messages);
    const auto budgets =
        budgets_of(usual_roles(2, {ranks / 2}, {kLookAhead, of_node}), {ranks / 2}, {kLookAhead, of_node});
    EXPECT_GT(2 * in_message, budgets.front().bucket) << of_node;
  }
}

TEST(Specialised, PassesOverDimensionsOfOneNode) {
  const int ranks = mpi::Communicator::world().size();
  expect_table_and_limit({.per_node = ranks, .grid = {1, 1}});
  for (const int per_node : divisors(ranks)) {
    expect_table_and_limit({.per_node = per_node, .grid = {1, ranks / per_node, 1}});
  }
}

TEST(Specialised, AppliesNoneOneAndAFewUpdates) {
  for (const TestCase& test_case : some_scenes()) {
    const Stage stage(test_case);
    const bool brings = stage.world.rank() == stage.world.size() - 1;
    for (const Section section : {Section{0, 0}, Section{0, 1}, Section{1, 4}}) {
      stage.updater->apply({section.first, brings ? section.count : 0});
      EXPECT_EQ(stage.found(), stage.expected(section.first + section.count)) << describe(test_case);
    }
  }
}

TEST(Specialised, LeavesTheCoreWhileItWaitsForTheLastRank) {
  for (const TestCase& test_case : some_scenes()) {
    const Stage stage(test_case);
    const std::uint64_t before = test::blocking_barriers();
    stage.updater->apply(stage.section());
    EXPECT_EQ(test::blocking_barriers(), before) << describe(test_case);
  }
}

TEST(Specialised, GoesOnWhereItLeftOff) {
  for (const TestCase& test_case : some_scenes()) {
    const Stage stage(test_case);
    for (std::uint64_t part = 0; part < 5; ++part) stage.updater->apply(part_of(stage.section(), part, 5));
    EXPECT_EQ(stage.found(), stage.expected()) << describe(test_case);
  }
}

TEST(Specialised, TellsWhatEveryRankDoes) {
  const int ranks = mpi::Communicator::world().size();
  if (ranks < 2) return;
  const Stage stage({.per_node = ranks, .routers = 1});
  stage.updater->apply(stage.section());
  const Activity done = stage.updater->activity();
  const bool generates = stage.world.rank() == 0;
  EXPECT_EQ(stage.updater->role(), generates ? "generate" : "update");
  EXPECT_EQ(done.handed, generates ? 4 * stage.parts.words() : 0U);
  EXPECT_EQ(done.messages, 0U);
}

TEST(Specialised, SendsEveryUpdateAlongEachDimensionOnceAtMost) {
  for (const TestCase& test_case : some_scenes()) {
    const Stage stage(test_case);
    stage.updater->apply(stage.section());
    const Activity done = stage.updater->activity();
    const auto sum = [&](std::uint64_t own) { return stage.world.reduce_to_all(own, mpi::Reduction::kSum); };
    const std::uint64_t updates = 4 * stage.parts.words();
    const std::uint64_t sent = sum(done.bytes) / sizeof(std::uint64_t);
    EXPECT_LE(sent, test_case.grid.size() * updates) << describe(test_case);
    EXPECT_EQ(sent > 0, stage.world.size() > test_case.per_node) << describe(test_case);
  }
}

TEST(Specialised, CountsWhatIsHeldEvenAboveTheRulesLimit) {
  const int ranks = mpi::Communicator::world().size();
  if (ranks < 2) return;
  // A bucket alone then holds more than the rules allow before it leaves.
  const Stage stage({.per_node = ranks, .routers = ranks - 1, .limit = std::uint64_t{1} << 14U});
  stage.updater->apply(stage.section());
  const std::uint64_t most = stage.updater->activity().most_pending;
  EXPECT_EQ(stage.found(), stage.expected());
  EXPECT_EQ(most > kLookAhead, stage.updater->role() == "generate") << most;
}

TEST(Specialised, RefusesMoreRolesThanRanksAndTooLowALimit) {
  const mpi::Communicator world = mpi::Communicator::world();
  if (world.size() < 2) return;
  const Partition parts(1U << 8U, static_cast<std::uint64_t>(world.size()));
  const randomaccess::Setup setup{
      .world = world, .workers = parts, .table = {}, .generator = Generator::kPolynomial, .limit = {1, true}};
  const auto roles = make_specialised(setup, {world.duplicate(), world.size(), {}});
  ASSERT_FALSE(roles);
  EXPECT_NE(roles.error().what.find("at least one has to update"), std::string::npos);
  const auto limit = make_specialised(setup, {world.duplicate(), 1, {}});
  ASSERT_FALSE(limit);
  EXPECT_NE(limit.error().what.find("look-ahead of 1 leaves no room"), std::string::npos);
}

TEST(ChooseAlgorithm, SpecialisesWhereNodesShareTheirTable) {
  const auto refused = [](const Site& site) {
    const auto chosen = choose_algorithm("specialise", site);
    return chosen ? std::string("accepted") : chosen.error().what;
  };
  Site site{.ranks = 24, .one_node = false, .per_node = 4, .grid = {3, 2}, .table_of_node = true};
  EXPECT_EQ(refused(site), "accepted");
  site.routers = 4;
  EXPECT_NE(refused(site).find("4 of 4 ranks"), std::string::npos);
  site.routers = 3;
  site.grid = {4, 6};
  EXPECT_NE(refused(site).find("24 places for 6 nodes"), std::string::npos);
  site.grid = {};
  site.table_of_node = false;
  EXPECT_NE(refused(site).find("mapping modes 5 to 8"), std::string::npos);
  site.per_node = 0;
  EXPECT_NE(refused(site).find("same number of consecutive ranks"), std::string::npos);
}

TEST(ChooseAlgorithm, TakesRoutersForSpecialisedRanksOnly) {
  const auto chosen = choose_algorithm("shared", {.ranks = 4, .one_node = true, .per_node = 4, .routers = 2});
  ASSERT_FALSE(chosen);
  EXPECT_NE(chosen.error().what.find("no ranks that only route"), std::string::npos);
}

}  // namespace
}  // namespace groma::randomaccess
