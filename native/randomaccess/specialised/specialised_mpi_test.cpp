#include <gtest/gtest.h>

#include "randomaccess/local.hpp"
#include "randomaccess/specialised/roles.hpp"
#include "randomaccess/specialised/specialised.hpp"
#include "randomaccess/table_memory.hpp"
#include "randomaccess/verification.hpp"

namespace groma::randomaccess {
namespace {

/// What is pretended of the ranks, and what they do.
struct Scene {
  int per_node;
  int routers = 0;
  std::vector<int> grid = {};
  std::uint64_t words = std::uint64_t{1} << 12U;
  Generator generator = Generator::kPolynomial;
  std::uint64_t limit = kLookAhead;
};

std::string told(const Scene& scene) {
  return std::to_string(scene.per_node) + " ranks a node, " + std::to_string(scene.routers) +
         " route, grid " + spelled(scene.grid) + ", limit " + std::to_string(scene.limit);
}

/// A table over ranks that are divided into nodes as the scene has it, wherever they are.
struct Stage {
  explicit Stage(const Scene& scene)
      : parts(scene.words, static_cast<std::uint64_t>(world.size())),
        first(parts.first(own())),
        node(world.split(world.rank() / scene.per_node, world.rank()).value()),
        memory(TableMemory::allocate(world, node, parts.size(own()), true).value()),
        setup{.world = world,
              .workers = parts,
              .table = memory.words(),
              .generator = scene.generator,
              .limit = scene.limit,
              .node_table = memory.of_node()} {
    fill(setup.table, first);
    auto made = make_specialised(setup, {std::move(node), scene.routers, scene.grid});
    EXPECT_TRUE(made) << told(scene);
    updater = std::move(made).value();
  }

  [[nodiscard]] std::uint64_t own() const { return static_cast<std::uint64_t>(world.rank()); }
  [[nodiscard]] Section section() const { return {4 * first, 4 * setup.table.size()}; }
  [[nodiscard]] std::vector<std::uint64_t> found() const { return {setup.table.begin(), setup.table.end()}; }

  /// What the updates of the whole run from 0 to `count` make of the words here.
  [[nodiscard]] std::vector<std::uint64_t> expected(std::uint64_t count) const {
    std::vector<std::uint64_t> whole(parts.words());
    fill(whole, 0);
    update_plainly(whole, setup.generator, {0, count});
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

void expect_table_and_limit(const Scene& scene) {
  const Stage stage(scene);
  stage.updater->apply(stage.section());
  EXPECT_EQ(stage.found(), stage.expected()) << told(scene);
  EXPECT_LE(stage.updater->activity().most_pending, scene.limit) << told(scene);
  const std::uint64_t most = stage.updater->activity().most_pending;
  EXPECT_GT(stage.world.reduce_to_all(most, mpi::Reduction::kMax), 0U) << told(scene);
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
std::vector<Scene> all_scenes() {
  const int ranks = mpi::Communicator::world().size();
  std::vector<Scene> all;
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
std::vector<Scene> some_scenes() {
  std::vector<Scene> some = all_scenes();
  std::erase_if(some, [](const Scene& scene) {
    return scene.per_node == 1 || (scene.routers != 1 && scene.routers != scene.per_node - 1);
  });
  return some;
}

TEST(Specialised, GivesTheTableOfSerialUpdatesForAllRolesAndGrids) {
  for (const Scene& scene : all_scenes()) expect_table_and_limit(scene);
}

TEST(Specialised, WorksWithTheOtherGeneratorTheSame) {
  for (Scene scene : some_scenes()) {
    scene.generator = Generator::kCongruential;
    scene.words = 1U << 10U;
    expect_table_and_limit(scene);
  }
}

TEST(Specialised, WorksWithTablesOfFewerWordsThanRanks) {
  for (Scene scene : some_scenes()) {
    for (const std::uint64_t words : {1U, 2U, 8U}) {
      scene.words = words;
      const Stage stage(scene);
      stage.updater->apply(stage.section());
      EXPECT_EQ(stage.found(), stage.expected()) << told(scene);
    }
  }
}

TEST(Specialised, StaysWithinLowLimits) {
  for (Scene scene : some_scenes()) {
    scene.words = 1U << 8U;
    for (const std::uint64_t limit : {64U, 200U}) {
      scene.limit = limit;
      expect_table_and_limit(scene);
    }
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
  for (const Scene& scene : some_scenes()) {
    const Stage stage(scene);
    const bool brings = stage.world.rank() == stage.world.size() - 1;
    for (const Section section : {Section{0, 0}, Section{0, 1}, Section{1, 4}}) {
      stage.updater->apply({section.first, brings ? section.count : 0});
      EXPECT_EQ(stage.found(), stage.expected(section.first + section.count)) << told(scene);
    }
  }
}

TEST(Specialised, GoesOnWhereItLeftOff) {
  for (const Scene& scene : some_scenes()) {
    const Stage stage(scene);
    for (std::uint64_t part = 0; part < 5; ++part) stage.updater->apply(part_of(stage.section(), part, 5));
    EXPECT_EQ(stage.found(), stage.expected()) << told(scene);
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
  for (const Scene& scene : some_scenes()) {
    const Stage stage(scene);
    stage.updater->apply(stage.section());
    const Activity done = stage.updater->activity();
    const auto sum = [&](std::uint64_t own) { return stage.world.reduce_to_all(own, mpi::Reduction::kSum); };
    const std::uint64_t updates = 4 * stage.parts.words();
    const std::uint64_t sent = sum(done.bytes) / sizeof(std::uint64_t);
    EXPECT_LE(sent, scene.grid.size() * updates) << told(scene);
    EXPECT_EQ(sent > 0, stage.world.size() > scene.per_node) << told(scene);
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
      .world = world, .workers = parts, .table = {}, .generator = Generator::kPolynomial, .limit = 3};
  const auto roles = make_specialised(setup, {world.duplicate(), world.size(), {}});
  ASSERT_FALSE(roles);
  EXPECT_NE(roles.error().what.find("at least one has to update"), std::string::npos);
  const auto limit = make_specialised(setup, {world.duplicate(), 1, {}});
  ASSERT_FALSE(limit);
  EXPECT_NE(limit.error().what.find("look-ahead of 3"), std::string::npos);
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
  EXPECT_NE(refused(site).find("as many ranks each"), std::string::npos);
}

TEST(ChooseAlgorithm, TakesRoutersForSpecialisedRanksOnly) {
  const auto chosen = choose_algorithm("shared", {.ranks = 4, .one_node = true, .per_node = 4, .routers = 2});
  ASSERT_FALSE(chosen);
  EXPECT_NE(chosen.error().what.find("no ranks that only route"), std::string::npos);
}

}  // namespace
}  // namespace groma::randomaccess
